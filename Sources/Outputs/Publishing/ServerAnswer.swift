/// What an HTTP server's status means for the message that it answers. Pure.
///
/// | status | meaning |
/// |---|---|
/// | 2xx | taken |
/// | 400, 413, 422 | this message will never be taken, and is left out |
/// | 401, 403, 407 | nobody is let in without another user or password |
/// | 408, 429, 5xx | not now; `Retry-After` says how long |
/// | 3xx, other 4xx | there is nothing at this address that takes messages |
enum ServerAnswer: Equatable {
  /// The server has the message.
  case taken
  /// The server will never take this message.
  case refused(MessageRefusal)
  /// The server takes no message as things are.
  case failed(BrokerFailure)

  /// - Parameters:
  ///   - status: Of the answer.
  ///   - retryAfter: How many seconds the server wants to be left alone; `nil` when it has not said.
  ///   - redirection: Where the server says that it is to be asked instead.
  init(status: Int, retryAfter: Int? = nil, redirection: String? = nil) {
    let text = "\(status)" + (Self.words[status].map { " \($0)" } ?? "")
    switch status {
    case 200..<300: self = .taken
    case 300..<400:
      // Its path may be a secret, as this one's.
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

  /// A server that wants to be left alone for longer is asked all the same, for it may have said so by mistake, in seconds.
  private static let longestWait = 3600

  /// HTTP/2 has no words for a status.
  private static let words = [
    301: "Moved Permanently", 302: "Found", 303: "See Other", 307: "Temporary Redirect", 308: "Permanent Redirect",
    400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
    407: "Proxy Authentication Required", 408: "Request Timeout", 410: "Gone", 413: "Content Too Large",
    415: "Unsupported Media Type", 422: "Unprocessable Content", 429: "Too Many Requests",
    500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
  ]
}
