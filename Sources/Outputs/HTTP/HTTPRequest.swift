import NIOHTTP1
import Platform

/// What a client asks for.
public struct HTTPRequest: Sendable {
  /// The path, as it was sent: `/metrics`.
  public var path: String
  /// What follows the first question mark.
  public var query: String?
  private let headers: HTTPHeaders
  /// The computing of the answer, where that takes long.
  var work: HTTPWork?

  init(_ head: HTTPRequestHead) {
    let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    path = parts.first ?? ""
    query = parts.count > 1 ? parts[1] : nil
    headers = head.headers
  }

  /// Whether the client has left, so that nobody takes an answer that is still being computed.
  public var hasLeft: Bool { work?.hasLeft ?? false }

  /// Waits as long as shorter answers are being computed; returns false when the client has left. The caller holds no lock
  /// and no transaction.
  public func goesOn() -> Bool { work?.goesOn() ?? true }

  /// The first field of that name, in any case.
  public subscript(field name: String) -> String? { headers.first(name: name) }

  /// The value of a name in the query, decoded; a plus sign stands for itself, and so does a value that is encoded wrongly.
  public func value(of name: String) -> String? {
    for pair in (query ?? "").split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts[0] == name {
        return parts.count == 2
          ? percentDecoded(parts[1]).map { String(decoding: $0, as: UTF8.self) } ?? String(parts[1]) : ""
      }
    }
    return nil
  }

  /// The elements of a list: of all fields of that name, or of the commas within one.
  func list(_ name: String) -> [Substring] { headers[canonicalForm: name] }

  /// Every field of that name.
  func fields(_ name: String) -> [String] { headers[name] }
}
