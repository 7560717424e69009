import CMosquitto
import Glibc
import Platform

/// One session with a broker through libmosquitto, driven by its owner's `poll`. Not thread-safe.
///
/// libmosquitto neither reconnects nor stores messages here. A session that has ended is released with its messages,
/// and the next session is a new object. The broker does not keep the session, either.
final class BrokerConnection: PublishingConnection, SubscribingConnection {
  enum State: Equatable {
    case connecting
    /// Connected; the broker has not answered yet.
    case connected
    case accepted
    case closed
  }

  /// A message of a subscribed topic.
  struct Message: Equatable {
    var topic: String
    var payload: [UInt8]
    /// Whether the message was retained at the broker.
    var isRetained: Bool
  }

  let version: MQTTVersion
  private(set) var state = State.connecting
  var isEstablished: Bool { state == .accepted }
  var isOld: Bool { version == .v311 }
  /// The reason why the broker refused, or the session ended.
  private var refusal: BrokerFailure?
  /// Whether the broker has reported that it does not support this version.
  private(set) var refusesVersion = false
  var answers: [PublishingAnswer] = []
  private var messages: [Message] = []
  /// Whether the broker lets this client subscribe; `nil` before it has answered.
  private(set) var maySubscribe: Bool?
  /// The library's last error message.
  private var lastError: String?
  private let configuration: SessionConfiguration
  private let tls: BrokerTLS?
  // The library's own; freed with this object.
  private let client: OpaquePointer

  private static let isInitialized: Bool = mosquitto_lib_init() == Int32(MOSQ_ERR_SUCCESS.rawValue)

  /// Creates a session that is not connected. The broker publishes `will` if this client disappears.
  init(
    _ configuration: SessionConfiguration, _ version: MQTTVersion, password: [UInt8]?, will: OutgoingMessage?
  ) throws(BrokerFailure) {
    for (name, text) in [("identifier", configuration.clientID), ("user's name", configuration.user ?? "none")]
    where text.isEmpty || !MQTTText.isValid(text) {
      throw .system("MQTT does not allow the \(name) '\(text)'")
    }
    tls = configuration.address.usesTLS ? try BrokerTLS(configuration) : nil
    guard Self.isInitialized, let client = mosquitto_new(configuration.clientID, !configuration.keepsSession, nil)
    else { throw .system("no memory for the broker's client") }
    self.client = client
    self.configuration = configuration
    self.version = version
    mosquitto_user_data_set(client, Unmanaged.passUnretained(self).toOpaque())
    // Only `wait` and `flush` write, so errors show in few places.
    mosquitto_threaded_set(client, true)
    setCallbacks()
    try check(mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, version.rawValue))
    if let will {
      try check(mosquitto_will_set(client, will.topic, Int32(will.payload.count), will.payload, 1, will.isRetained))
    }
    if let user = configuration.user {
      let password = password.map { $0.map { CChar(bitPattern: $0) } + [0] }
      try check(mosquitto_username_pw_set(client, user, password))
    }
    if let tls {
      try check(mosquitto_void_option(client, MOSQ_OPT_SSL_CTX, UnsafeMutableRawPointer(tls.context)))
      // The library must not add settings of its own.
      try check(mosquitto_int_option(client, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 0))
    }
  }

  deinit { mosquitto_destroy(client) }

  /// The failure of a broker that does not answer.
  var silence: BrokerFailure {
    .noMQTT("no broker has answered there within \(secondsText(configuration.connectTimeout))")
  }

  /// Whether the failure can mean that the broker does not know this version.
  func mayNotKnowVersion(_ failure: BrokerFailure) -> Bool {
    switch failure {
    case .noMQTT: refusesVersion || refusal == nil && failure != silence
    case .tls(let text): TLSError.isOfOneWithoutTLS(text)
    default: refusesVersion
    }
  }

  /// Connects and waits until the broker accepts this client.
  func connect(to host: String, stop: Wakeup) throws(BrokerFailure) {
    let port = Int32(configuration.address.server.port)
    try check(mosquitto_connect_async(client, host, port, Int32(configuration.keepAlive)))
    // Nothing has been written so far.
    guard tls == nil || mosquitto_ssl_get(client) != nil else { throw .tls("libmosquitto does not encrypt") }
    let deadline = monotonicSeconds() + configuration.connectTimeout
    while state == .connecting || state == .connected {
      if stop.isSignalled { throw .stopped }
      guard monotonicSeconds() < deadline else { throw silence }
      _ = try wait(bell: nil, stop: stop, until: deadline)
    }
  }

  func wait(bell: Wakeup?, stop: Wakeup, until deadline: Double) throws(BrokerFailure) -> Bool {
    let seconds = deadline - monotonicSeconds()
    let (ready, hasRung) = try poll(POLLIN | (wantsToWrite ? POLLOUT : 0), bell: bell, stop: stop, seconds: seconds)
    if ready != 0, state == .connecting { try checkConnection(mosquitto_socket(client)) }
    if ready & (POLLIN | POLLHUP | POLLERR) != 0 { try step(mosquitto_loop_read(client, 1)) }
    if ready & POLLOUT != 0 { try step(mosquitto_loop_write(client, 1)) }
    try step(mosquitto_loop_misc(client))
    return hasRung
  }

  /// Waits for at most a minute. Returns the socket's events and whether the bell rang.
  private func poll(
    _ events: Int32, bell: Wakeup?, stop: Wakeup, seconds: Double
  ) throws(BrokerFailure) -> (ready: Int32, hasRung: Bool) {
    // poll ignores an entry whose descriptor is negative.
    var entries = [
      pollfd(fd: mosquitto_socket(client), events: Int16(events), revents: 0),
      pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: bell?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    guard entries[0].fd >= 0 else { throw refusal ?? .closed }
    let count = Glibc.poll(&entries, 3, Int32((max(0, min(seconds, 60)) * 1000).rounded(.up)))
    // The kernel is temporarily out of memory.
    if count < 0 && errno != EINTR { usleep(10_000) }
    guard count > 0 else { return (0, false) }
    return (Int32(entries[0].revents), entries[2].revents != 0 && bell?.reset() == true)
  }

  /// Throws the reason why connecting failed: with TLS the library reports only a protocol error.
  private func checkConnection(_ socket: Int32) throws(BrokerFailure) {
    var (error, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
    getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size)
    var (peer, length) = (sockaddr(), socklen_t(MemoryLayout<sockaddr>.size))
    // libmosquitto 2.0.11 lets OpenSSL write at once, which consumes the error of a connection that is refused
    // immediately.
    if error == 0, let ssl = mosquitto_ssl_get(client), !BrokerTLS.hasBegun(OpaquePointer(ssl)),
      getpeername(socket, &peer, &length) != 0
    {
      error = ECONNREFUSED
    }
    // The library reports the end of an established connection.
    guard error != 0, ![ECONNRESET, EPIPE, ECONNABORTED].contains(error) else {
      state = .connected
      return
    }
    errno = error
    try check(Int32(MOSQ_ERR_ERRNO.rawValue))
  }

  func receive(limit: Int, bell: Wakeup, stop: Wakeup, until deadline: Double) throws(BrokerFailure) -> Bool {
    // Data that a full socket did not accept is written soon.
    let seconds = wantsToWrite ? 0.01 : deadline - monotonicSeconds()
    let (ready, hasRung) = try poll(POLLIN, bell: bell, stop: stop, seconds: seconds)
    if ready != 0 {
      var before = -1
      while messages.count < limit, messages.count > before {
        before = messages.count
        try step(mosquitto_loop_read(client, 1))
      }
    }
    try step(mosquitto_loop_misc(client))
    return ready != 0 || hasRung
  }

  func flush() throws(BrokerFailure) {
    if wantsToWrite { try step(mosquitto_loop_write(client, 1)) }
  }

  private var wantsToWrite: Bool { mosquitto_want_write(client) }

  /// The broker acknowledges messages of quality of service 1; the library holds them back while too many are in flight.
  func publish(_ message: OutgoingMessage) throws(BrokerFailure) -> Int32? {
    var identifier: Int32 = 0
    let quality: Int32 = message.origin == .unacknowledged ? 0 : 1
    let code = mosquitto_publish(
      client, &identifier, message.topic, Int32(message.payload.count), message.payload, quality, message.isRetained)
    if mosq_err_t(code) == MOSQ_ERR_OVERSIZE_PACKET { return nil }
    try check(code)
    return identifier
  }

  func subscribe(to topic: String) throws(BrokerFailure) {
    try check(mosquitto_subscribe(client, nil, topic, 1))
  }

  func takeMessages() -> [Message] {
    defer { messages = [] }
    return messages
  }

  /// Disconnects properly, so that the broker does not publish the will.
  func disconnect() {
    guard state == .accepted, mosquitto_disconnect(client) == Int32(MOSQ_ERR_SUCCESS.rawValue) else { return }
    for _ in 0..<64 where wantsToWrite { if mosquitto_loop_write(client, 1) != 0 { return } }
  }

  private func step(_ code: Int32) throws(BrokerFailure) {
    try check(code)
    if let refusal { throw refusal }
  }

  private func setCallbacks() {
    mosquitto_connect_v5_callback_set(client) { _, object, code, _, _ in
      guard let connection = BrokerConnection.from(object) else { return }
      if let failure = BrokerFailure(connectReason: code, connection.version) {
        connection.refusal = failure
        // The library also reports this when an older broker refuses in the older version's format.
        connection.refusesVersion = code == Int32(MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION.rawValue)
      } else {
        connection.state = .accepted
      }
    }
    mosquitto_disconnect_v5_callback_set(client) { _, object, code, _ in
      guard let connection = BrokerConnection.from(object) else { return }
      let failure = BrokerFailure(disconnectReason: code, clientID: connection.configuration.clientID)
      if let failure { connection.refusal = failure }
    }
    mosquitto_publish_v5_callback_set(client) { _, object, identifier, code, _ in
      BrokerConnection.from(object)?.answers.append(
        PublishingAnswer(identifier: identifier, refusal: MessageRefusal(reason: code)))
    }
    mosquitto_subscribe_callback_set(client) { _, object, _, count, granted in
      BrokerConnection.from(object)?.maySubscribe = count > 0 && granted.map { $0.pointee < 0x80 } ?? false
    }
    mosquitto_message_callback_set(client) { _, object, message in
      guard let message = message?.pointee, let topic = message.topic.map({ String(cString: $0) }) else { return }
      let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(max(0, message.payloadlen)))
      BrokerConnection.from(object)?.messages.append(
        Message(topic: topic, payload: Array(payload), isRetained: message.retain))
    }
    mosquitto_log_callback_set(client) { _, object, level, text in
      guard level == MOSQ_LOG_ERR, let text, let connection = BrokerConnection.from(object) else { return }
      let line = String(cString: text)
      connection.lastError = connection.lastError.map { "\($0); \(line)" } ?? line
    }
  }

  private static func from(_ object: UnsafeMutableRawPointer?) -> BrokerConnection? {
    object.map { Unmanaged<BrokerConnection>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Throws the error for a code of the library.
  private func check(_ code: Int32) throws(BrokerFailure) {
    let systemError = errno
    guard code > 0 else { return }
    if let refusal { throw refusal }
    let isEstablished = isEstablished
    state = .closed
    if let failure = tls?.failure { throw failure }
    throw BrokerFailure(code: code, systemError: systemError, log: lastError, isEstablished: isEstablished)
  }
}
