import CCurl
import COpenSSL
import Glibc
import Platform
import Records

struct ServerConnector: SessionConnector {
  private let configuration: PublisherConfiguration
  private let stop: Wakeup
  private var files: SessionFiles

  /// `stop` interrupts waiting.
  init(_ configuration: PublisherConfiguration, stop: Wakeup) {
    (self.configuration, self.stop) = (configuration, stop)
    files = SessionFiles(configuration.session)
  }

  mutating func open(
    will: (PayloadKey?) -> OutgoingMessage?
  ) throws(BrokerFailure) -> (connection: ServerConnection, key: PayloadKey?) {
    let secrets = try files.read(within: configuration.session.connectTimeout, stop: stop)
    return (try ServerConnection(configuration, password: secrets.password), secrets.key)
  }
}

/// Sends messages as HTTP requests, one at a time, over a connection that libcurl keeps open. Its owner's `wait` drives
/// libcurl's multi interface. Not thread-safe.
///
/// Proxies come from the environment. Redirects are not followed, because they would turn a POST into another request.
package final class ServerConnection: PublishingConnection {
  package private(set) var isEstablished = false
  private let configuration: PublisherConfiguration
  // The library's own; freed with this object.
  private let multi: UnsafeMutableRawPointer
  private let easy: UnsafeMutableRawPointer
  private var headers: UnsafeMutablePointer<curl_slist>?
  private let errorText: UnsafeMutablePointer<CChar>
  private var pending: Int32?
  private var lastNumber: Int32 = 0
  package var answers: [PublishingAnswer] = []
  private var bodyLength = 0

  /// The most bytes of an answer to read: it may contain the locations of the user's friends, which are not needed.
  private static let longestBody = 1 << 20
  private static let isLoaded = ccurl_load()

  /// Prepares requests; the first message opens the connection.
  package init(_ configuration: PublisherConfiguration, password: [UInt8]?) throws(BrokerFailure) {
    guard Self.isLoaded else { throw .system("libcurl.so.4 cannot be loaded") }
    guard let multi = ccurl_multi_init() else { throw .system("no memory for the server's client") }
    guard let easy = ccurl_easy_init() else {
      ccurl_multi_cleanup(multi)
      throw .system("no memory for the server's client")
    }
    self.configuration = configuration
    let address = configuration.session.address
    (self.multi, self.easy) = (multi, easy)
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    try set(CURLOPT_ERRORBUFFER, errorText)
    try set(CURLOPT_URL, address.url)
    // The process handles signals itself. Cleanup does not wait for a hanging name lookup.
    try set(CURLOPT_NOSIGNAL, 1)
    ccurl_set_quick_exit(easy)
    try set(CURLOPT_CONNECTTIMEOUT_MS, Int(configuration.session.connectTimeout * 1000))
    try set(CURLOPT_TCP_KEEPALIVE, 1)
    try setHeaders()
    if let user = configuration.session.user {
      try set(CURLOPT_USERNAME, user)
      if let password { try set(CURLOPT_PASSWORD, password.map { CChar(bitPattern: $0) } + [0]) }
    }
    if address.usesTLS { try setTLS() }
    try check(
      ccurl_set_writer(
        easy,
        { _, size, count, object in
          guard let object else { return 0 }
          let connection = Unmanaged<ServerConnection>.fromOpaque(object).takeUnretainedValue()
          connection.bodyLength += size * count
          // Returning another number ends the request; its status still counts.
          return connection.bodyLength <= ServerConnection.longestBody ? size * count : 0
        }, Unmanaged.passUnretained(self).toOpaque()))
  }

  deinit {
    if pending != nil { ccurl_multi_remove_handle(multi, easy) }
    ccurl_easy_cleanup(easy)
    ccurl_multi_cleanup(multi)
    ccurl_slist_free_all(headers)
    errorText.deallocate()
  }

  package func publish(_ message: OutgoingMessage) throws(BrokerFailure) -> Int32? {
    var body = message.payload
    Self.add(topic: message.topic, to: &body)
    try set(CURLOPT_POSTFIELDSIZE, body.count)
    try set(CURLOPT_COPYPOSTFIELDS, body.map { CChar(bitPattern: $0) })
    bodyLength = 0
    errorText[0] = 0
    guard ccurl_multi_add_handle(multi, easy) == CURLM_OK else { throw .system("no memory for a request") }
    lastNumber &+= 1
    pending = lastNumber
    return lastNumber
  }

  /// HTTP has no topics, so the message contains its topic, which identifies the device.
  static func add(topic: String, to message: inout [UInt8]) {
    guard message.last == UInt8(ascii: "}") else { return }
    message.removeLast()
    message += RecordBuffer.bytes { buffer in
      buffer.append(text: #","topic":"#)
      buffer.appendJSONString(topic)
      buffer.append(text: "}")
    }
  }

  package func wait(bell: Wakeup?, stop: Wakeup, until deadline: Double) throws(BrokerFailure) -> Bool {
    // The answer may have arrived already.
    try perform()
    guard answers.isEmpty else { return false }
    let input = Int16(CURL_WAIT_POLLIN)
    var descriptors = [curl_waitfd(fd: stop.descriptor, events: input, revents: 0)]
    if let bell { descriptors.append(curl_waitfd(fd: bell.descriptor, events: input, revents: 0)) }
    let milliseconds = max(0, min((deadline - monotonicSeconds()) * 1000, 60_000)).rounded(.up)
    // The kernel is temporarily out of memory.
    let code = ccurl_multi_poll(multi, &descriptors, UInt32(descriptors.count), Int32(milliseconds))
    if code != CURLM_OK { usleep(10_000) }
    try perform()
    return descriptors.count > 1 && descriptors[1].revents != 0 && bell?.reset() == true
  }

  /// Nothing to send; releasing this object closes the connections.
  package func disconnect() {}

  package var progress: ServerProgress {
    if ccurl_number(easy, CURLINFO_RESPONSE_CODE) != 0 { return .answered }
    if ccurl_large_number(easy, CURLINFO_APPCONNECT_TIME_T) > 0 { return .secured }
    if ccurl_large_number(easy, CURLINFO_CONNECT_TIME_T) > 0 { return .connected }
    return ccurl_large_number(easy, CURLINFO_NAMELOOKUP_TIME_T) > 0 ? .named : .nowhere
  }

  private func perform() throws(BrokerFailure) {
    var running: Int32 = 0
    guard ccurl_multi_perform(multi, &running) == CURLM_OK else { throw .system("no memory for a request") }
    var left: Int32 = 0
    while let message = ccurl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let number = pending else { continue }
      let code = message.pointee.data.result
      pending = nil
      ccurl_multi_remove_handle(multi, easy)
      switch answer(code) {
      case .accepted:
        isEstablished = true
        answers.append(PublishingAnswer(identifier: number))
      case .refused(let refusal): answers.append(PublishingAnswer(identifier: number, refusal: refusal))
      case .failed(let failure): throw failure
      }
    }
  }

  /// The result of a request. The status counts even when the body did not arrive completely.
  private func answer(_ code: CURLcode) -> ServerAnswer {
    let status = ccurl_number(easy, CURLINFO_RESPONSE_CODE)
    if status >= 200 {
      return ServerAnswer(
        status: status, retryAfter: retryAfter,
        redirection: ccurl_text(easy, CURLINFO_REDIRECT_URL).map { String(cString: $0) })
    }
    if code != CURLE_OK, case let proxy = ccurl_number(easy, CURLINFO_HTTP_CONNECTCODE), proxy >= 300 {
      return proxy == 407 ? ServerAnswer(status: proxy) : .failed(.unreachable("the proxy says: status \(proxy)"))
    }
    let text = String(cString: errorText)
    return .failed(
      BrokerFailure(
        curl: code, text: text.isEmpty ? String(cString: ccurl_easy_strerror(code)) : text,
        isEstablished: isEstablished, certificate: ccurl_number(easy, CURLINFO_SSL_VERIFYRESULT),
        host: configuration.session.address.server.host, patience: configuration.session.connectTimeout))
  }

  /// The server's `Retry-After` in seconds, if present. The library also parses a date, and treats a number out of
  /// range as absent.
  private var retryAfter: Int? {
    let seconds = ccurl_large_number(easy, CURLINFO_RETRY_AFTER)
    if seconds > 0 { return Int(seconds) }
    let text = ccurl_header(easy, "Retry-After").map { String(cString: $0) } ?? ""
    return text.contains { $0 != "0" } && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? .max : nil
  }

  private func setHeaders() throws(BrokerFailure) {
    let levels = configuration.topic.split(separator: "/")
    // Without the last one, large bodies would wait for the server's consent.
    var lines = ["Content-Type: application/json", "User-Agent: rxlocationd", "Accept: application/json", "Expect:"]
    if let user = levels.dropLast().last { lines.append("X-Limit-U: \(user)") }
    if let device = levels.last { lines.append("X-Limit-D: \(device)") }
    for line in lines {
      guard let list = ccurl_slist_append(headers, line) else { throw .system("no memory for a request") }
      headers = list
    }
    try check(ccurl_set_headers(easy, headers))
  }

  private func setTLS() throws(BrokerFailure) {
    try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    if let authorities = configuration.session.authorities {
      try set(CURLOPT_CAINFO, authorities)
      // Do not use the system's authorities in addition.
      try check(ccurl_set_text(easy, CURLOPT_CAPATH, nil))
    }
    if let certificate = configuration.session.certificate { try set(CURLOPT_SSLCERT, certificate) }
    if let key = configuration.session.key { try set(CURLOPT_SSLKEY, key) }
  }

  private func set(_ option: CURLoption, _ number: Int) throws(BrokerFailure) {
    try check(ccurl_set_number(easy, option, number))
  }

  private func set(_ option: CURLoption, _ text: UnsafePointer<CChar>) throws(BrokerFailure) {
    try check(ccurl_set_text(easy, option, text))
  }

  private func check(_ code: CURLcode) throws(BrokerFailure) {
    guard code == CURLE_OK else { throw BrokerFailure.system(String(cString: ccurl_easy_strerror(code))) }
  }
}

package enum ServerProgress: Comparable {
  case nowhere, named, connected, secured, answered
}

/// The meaning of an HTTP status for the message that it answers. Pure.
///
/// | status | meaning |
/// |---|---|
/// | 2xx | accepted |
/// | 400, 413, 422 | this message will never be accepted, and is skipped |
/// | 401, 403, 407 | another user or password is needed |
/// | 408, 429, 5xx | temporarily unavailable; `Retry-After` gives the time |
/// | 3xx, other 4xx | this address does not accept messages |
enum ServerAnswer: Equatable {
  case accepted
  case refused(MessageRefusal)
  case failed(BrokerFailure)

  /// `retryAfter` and `redirection` are the server's `Retry-After` in seconds and its `Location`.
  init(status: Int, retryAfter: Int? = nil, redirection: String? = nil) {
    let text = "\(status)" + (Self.words[status].map { " \($0)" } ?? "")
    switch status {
    case 200..<300: self = .accepted
    case 300..<400:
      // Its path may be a secret, like the path of this address.
      let place = redirection.flatMap { try? PublishingAddress(parsing: $0) }.map { " to \($0)" } ?? ""
      self = .failed(.wrongAddress("the server redirects\(place), which is not followed: \(text)"))
    case 400, 413, 422: self = .refused(MessageRefusal(text: text, isOfThisMessage: true))
    case 401, 403: self = .failed(.login("the server says: \(text)"))
    case 407: self = .failed(.login("the proxy says: \(text)"))
    case 408, 429, 500..<600:
      let wait = retryAfter.map { max(0, min($0, Self.longestWait)) }
      self = .failed(
        .busy("the server says: \(text)" + (wait.map { ", which asks to retry in \($0) s" } ?? ""), wait: wait))
    case 400..<500: self = .failed(.wrongAddress("the server says: \(text)"))
    default: self = .failed(.noMQTT("the peer does not speak HTTP properly: status \(text)"))
    }
  }

  /// The longest wait in seconds. A server that asks for more may have done so by mistake.
  private static let longestWait = 3600

  /// The reason phrases, which HTTP/2 does not send.
  private static let words = [
    301: "Moved Permanently", 302: "Found", 303: "See Other", 307: "Temporary Redirect", 308: "Permanent Redirect",
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    407: "Proxy Authentication Required", 408: "Request Timeout", 410: "Gone", 413: "Content Too Large",
    415: "Unsupported Media Type", 422: "Unprocessable Content", 429: "Too Many Requests",
    500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
  ]
}

extension BrokerFailure {
  /// Creates a failure from a code and a message of libcurl. `certificate` is OpenSSL's code for the server's
  /// certificate; it is 0 or 1 if only its names do not match, because libcurl compares them itself. `isEstablished`
  /// tells whether the server has accepted a message over this connection.
  init(curl code: CURLcode, text: String, isEstablished: Bool, certificate: Int, host: String, patience: Double) {
    switch code {
    case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT: self = .system("no memory")
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self = .noAddress(text)
    case CURLE_COULDNT_CONNECT, CURLE_PROXY: self = .unreachable(text)
    case CURLE_OPERATION_TIMEDOUT: self = .unreachable("no connection within \(secondsText(patience))")
    case CURLE_PEER_FAILED_VERIFICATION where certificate > 1:
      self = .certificate(of: .server, host, Int32(truncatingIfNeeded: certificate))
    case CURLE_PEER_FAILED_VERIFICATION where text.contains("match"):
      self = .certificate(of: .server, host, X509_V_ERR_HOSTNAME_MISMATCH)
    case CURLE_PEER_FAILED_VERIFICATION: self = .tls("the server's certificate is not accepted: \(text)")
    case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE:
      self = .file("the certificates cannot be used: \(text)")
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
      self = .tls(TLSError.words(text))
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_HTTP2_STREAM:
      self = .noMQTT("the peer does not speak HTTP: \(text)")
    default: self = isEstablished ? .lost(text) : .noMQTT(text)
    }
  }
}
