import CCurl
import COpenSSL
import Platform

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
