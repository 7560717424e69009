/// An answer.
public struct HTTPResponse: Sendable {
  /// The status: 200 and so on.
  public var status: Int
  /// The fields, except Content-Length and Connection.
  public var fields: [(name: String, value: String)]
  /// The body. The answer to HEAD has its length but not its bytes.
  public var body: [UInt8]

  /// Creates an answer.
  public init(status: Int = 200, contentType: String, body: [UInt8]) {
    self.status = status
    fields = [("Content-Type", contentType)]
    self.body = body
  }

  /// Creates an answer of text in UTF-8.
  public init(status: Int = 200, contentType: String = "text/plain; charset=utf-8", text: String) {
    self.init(status: status, contentType: contentType, body: Array(text.utf8))
  }
}
