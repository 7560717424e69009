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
  /// The server has the message.
  case taken
  /// The server will never accept this message.
  case refused(MessageRefusal)
  /// The server does not accept messages at present.
  case failed(BrokerFailure)

  /// - Parameters:
  ///   - status: The status of the answer.
  ///   - retryAfter: The server's `Retry-After` in seconds, if present.
  ///   - redirection: The server's `Location`, if present.
  init(status: Int, retryAfter: Int? = nil, redirection: String? = nil) {
    let text = "\(status)" + (Self.words[status].map { " \($0)" } ?? "")
    switch status {
    case 200..<300: self = .taken
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
        .busy("the server says: \(text)" + (wait.map { ", to be asked again in \($0) s" } ?? ""), wait: wait))
    case 400..<500: self = .failed(.wrongAddress("the server says: \(text)"))
    default: self = .failed(.noMQTT("what answers there does not speak HTTP as it should: status \(text)"))
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
