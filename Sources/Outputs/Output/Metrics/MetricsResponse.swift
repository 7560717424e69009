/// An answer of the metrics endpoint, complete with its head.
struct MetricsResponse {
  /// The bytes to send.
  let text: String

  init(_ answer: MetricsRequest.Answer, collect: () -> String) {
    switch answer {
    case .metrics(let hasBody):
      text = Self.response(
        "200 OK", "text/plain; version=0.0.4; charset=utf-8", body: collect(), hasBody: hasBody)
    case .badRequest: text = Self.failure("400 Bad Request")
    case .notFound: text = Self.failure("404 Not Found", "the metrics are at /metrics")
    case .methodNotAllowed:
      text = Self.failure("405 Method Not Allowed", "only GET and HEAD", "Allow: GET, HEAD\r\n")
    case .headerTooLarge: text = Self.failure("431 Request Header Fields Too Large")
    case .versionNotSupported: text = Self.failure("505 HTTP Version Not Supported")
    }
  }

  private static func failure(_ status: String, _ what: String? = nil, _ fields: String = "")
    -> String
  {
    response(
      status, "text/plain; charset=utf-8", body: "\(what ?? status)\n", hasBody: true, fields)
  }

  private static func response(
    _ status: String, _ type: String, body: String, hasBody: Bool, _ fields: String = ""
  ) -> String {
    """
    HTTP/1.1 \(status)\r
    Content-Type: \(type)\r
    Content-Length: \(body.utf8.count)\r
    Connection: close\r
    \(fields)\r
    \(hasBody ? body : "")
    """
  }
}
