import CMosquitto
import Glibc
import Platform
import SystemPackage

/// One session with a broker: libmosquitto's client, driven by its owner's `poll`. Not thread-safe.
///
/// libmosquitto neither reconnects nor keeps anything here: a session that has ended is let go with what it held, and
/// the next one is another object.
final class BrokerConnection {
  /// How far the session is.
  enum State: Equatable {
    case connecting
    case accepted
    case closed
  }

  private(set) var state = State.connecting
  /// Why the broker refused, or the session ended.
  private var refusal: BrokerFailure?
  /// The numbers of the messages that were acknowledged since they were asked for last.
  private var acknowledged: [Int32] = []
  /// What the library said of an error last.
  private var lastError: String?
  private let configuration: PublisherConfiguration
  // The library's own; freed with this object.
  private let client: OpaquePointer

  private static let isInitialized: Bool = mosquitto_lib_init() == Int32(MOSQ_ERR_SUCCESS.rawValue)

  /// Creates a session that is not connected.
  ///
  /// - Parameter will: The payload that the broker publishes on `configuration.topic` when this client has gone without a
  ///   word; `nil` for none.
  init(_ configuration: PublisherConfiguration, will: [UInt8]?) throws(BrokerFailure) {
    guard Self.isInitialized, let client = mosquitto_new(configuration.clientID, true, nil) else {
      throw .system("no memory for the broker's client")
    }
    self.client = client
    self.configuration = configuration
    mosquitto_user_data_set(client, Unmanaged.passUnretained(self).toOpaque())
    // Nothing is written but in `wait`, so an error shows in one place.
    mosquitto_threaded_set(client, true)
    setCallbacks()
    if let will { try check(mosquitto_will_set(client, configuration.topic, Int32(will.count), will, 1, false)) }
    if let user = configuration.user {
      // Read again for each session, so that a new password counts without a restart.
      try check(mosquitto_username_pw_set(client, user, try Password.read(configuration.passwordFile)))
    }
    if configuration.address.usesTLS { try setTLS() }
  }

  deinit {
    mosquitto_destroy(client)
  }

  /// Begins to connect; `state` says how that goes.
  ///
  /// - Parameter address: One of the host's. With TLS the library looks the name up once more, because it compares the
  ///   certificate with what it connects to.
  func connect(to address: ResolvedAddress?) throws(BrokerFailure) {
    let name = configuration.address.host
    let host = configuration.address.usesTLS ? name : address?.numericHost ?? name
    let port = Int32(configuration.address.port)
    try check(mosquitto_connect_async(client, host, port, Int32(configuration.keepAlive)))
  }

  /// Waits until the broker lets this client in.
  func waitUntilAccepted(stop: Wakeup) throws(BrokerFailure) {
    let deadline = monotonicSeconds() + configuration.connectTimeout
    while state == .connecting {
      if stop.isSignalled { throw .stopped }
      guard monotonicSeconds() < deadline else {
        throw .noMQTT("no broker has answered there within \(secondsText(configuration.connectTimeout))")
      }
      _ = try wait(bell: nil, stop: stop, until: deadline)
    }
  }

  /// Waits once for the broker, the bell, `stop` or the deadline, and does what the socket is ready for; true when the bell
  /// rang.
  func wait(bell: Bell?, stop: Wakeup, until deadline: Double) throws(BrokerFailure) -> Bool {
    // poll ignores an entry whose descriptor is negative.
    var entries = [
      pollfd(fd: mosquitto_socket(client), events: Int16(POLLIN | (wantsToWrite ? POLLOUT : 0)), revents: 0),
      pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: bell?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    guard entries[0].fd >= 0 else { throw .lost("the connection has ended") }
    let milliseconds = ((deadline - monotonicSeconds()) * 1000).rounded(.up)
    let count = poll(&entries, 3, Int32(max(0, min(milliseconds, 60_000))))
    // The kernel is out of memory for a moment.
    if count < 0 && errno != EINTR { usleep(10_000) }
    let ready = count > 0 ? Int32(entries[0].revents) : 0
    if ready & (POLLIN | POLLHUP | POLLERR) != 0 { try step(mosquitto_loop_read(client, 1)) }
    if ready & POLLOUT != 0 { try step(mosquitto_loop_write(client, 1)) }
    try step(mosquitto_loop_misc(client))
    return count > 0 && entries[2].revents != 0 && bell?.quieten() == true
  }

  private var wantsToWrite: Bool { mosquitto_want_write(client) }

  /// Hands over a message of quality of service 1, and returns the number of its acknowledgement.
  func publish(_ payload: [UInt8], on topic: String, isRetained: Bool) throws(BrokerFailure) -> Int32 {
    var identifier: Int32 = 0
    try check(mosquitto_publish(client, &identifier, topic, Int32(payload.count), payload, 1, isRetained))
    return identifier
  }

  /// The messages that were acknowledged since the last call.
  func takeAcknowledged() -> [Int32] {
    defer { acknowledged.removeAll(keepingCapacity: true) }
    return acknowledged
  }

  /// Says goodbye, so that the broker does not publish the will.
  func disconnect() {
    guard state == .accepted, mosquitto_disconnect(client) == Int32(MOSQ_ERR_SUCCESS.rawValue) else { return }
    for _ in 0..<64 where wantsToWrite { if mosquitto_loop_write(client, 1) != 0 { return } }
  }

  private func step(_ code: Int32) throws(BrokerFailure) {
    try check(code)
    if let refusal { throw refusal }
  }

  private func setTLS() throws(BrokerFailure) {
    for file in [configuration.authorities, configuration.certificate, configuration.key].compactMap({ $0 }) {
      guard access(file, R_OK) == 0 else { throw .file("\(file): \(Errno(rawValue: errno))") }
    }
    if configuration.authorities != nil || configuration.certificate != nil {
      // The library wants authorities beside a certificate; the system's are in this folder on Debian and its kin.
      let folder = configuration.authorities == nil ? "/etc/ssl/certs" : nil
      let code = mosquitto_tls_set(
        client, configuration.authorities, folder, configuration.certificate, configuration.key, nil)
      guard code == 0 else {
        throw .file("the certificates cannot be used: \(String(cString: mosquitto_strerror(code)))")
      }
    } else {
      try check(mosquitto_int_option(client, MOSQ_OPT_TLS_USE_OS_CERTS, 1))
    }
    // 1 verifies the broker's certificate; older versions than 1.2 are not spoken.
    try check(mosquitto_tls_opts_set(client, 1, "tlsv1.2", nil))
  }

  private func setCallbacks() {
    mosquitto_connect_callback_set(client) { _, object, code in
      guard let connection = BrokerConnection.from(object) else { return }
      if code == 0 {
        connection.state = .accepted
      } else {
        let reason = "the broker says: \(String(cString: mosquitto_connack_string(code)))"
        // 4 and 5 are about the user, 2 about the client; 1 and 3 are the broker's own troubles.
        connection.refusal = [2, 4, 5].contains(code) ? .login(reason) : .noMQTT(reason)
      }
    }
    mosquitto_publish_callback_set(client) { _, object, identifier in
      BrokerConnection.from(object)?.acknowledged.append(identifier)
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

  /// Throws what a code of the library means.
  private func check(_ code: Int32) throws(BrokerFailure) {
    let systemError = errno
    guard code > 0 else { return }
    if let refusal { throw refusal }
    defer { state = .closed }
    let text = String(cString: mosquitto_strerror(code))
    let isEstablished = state == .accepted
    switch mosq_err_t(code) {
    case MOSQ_ERR_NOMEM: throw .system("no memory")
    case MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE: throw .tls(TLSError.words(lastError) ?? text)
    case MOSQ_ERR_ERRNO:
      if let error = TLSError.words(lastError) { throw .tls(error) }
      let reason = Errno(rawValue: systemError).description
      throw isEstablished ? .lost(reason) : .unreachable(reason)
    case MOSQ_ERR_EAI, MOSQ_ERR_LOOKUP: throw .noAddress(text)
    case MOSQ_ERR_PROTOCOL, MOSQ_ERR_MALFORMED_PACKET, MOSQ_ERR_MALFORMED_UTF8, MOSQ_ERR_OVERSIZE_PACKET:
      throw .noMQTT("what answers there does not speak MQTT: \(text)")
    case MOSQ_ERR_KEEPALIVE: throw .lost("the broker has fallen silent")
    case MOSQ_ERR_CONN_LOST, MOSQ_ERR_NO_CONN:
      if let error = TLSError.words(lastError) { throw .tls(error) }
      throw isEstablished
        ? .lost("the broker closed the connection") : .noMQTT("the connection was closed before the broker answered")
    case MOSQ_ERR_AUTH, MOSQ_ERR_CONN_REFUSED, MOSQ_ERR_ACL_DENIED: throw .login(text)
    default: throw isEstablished ? .lost(text) : .unreachable(text)
    }
  }
}

/// OpenSSL's errors as libmosquitto logs them.
enum TLSError {
  /// The part of "OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed" that means something.
  static func words(_ log: String?) -> String? {
    guard let log else { return nil }
    guard let last = log.split(separator: ":").last else { return log }
    let text = last.drop { $0 == " " }
    if log.contains("certificate verify failed") || log.contains("host name verification") {
      return "the broker's certificate is not accepted: \(text)"
    }
    return String(text)
  }
}
