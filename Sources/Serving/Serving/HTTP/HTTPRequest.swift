import NIOHTTP1
import Platform

package struct HTTPRequest: Sendable {
  package var path: String
  package var query: String?
  private let headers: HTTPHeaders
  var work: HTTPWork?

  init(_ head: HTTPRequestHead) {
    let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    path = parts.first ?? ""
    query = parts.count > 1 ? parts[1] : nil
    headers = head.headers
  }

  /// Whether the client has left, so that the answer is no longer needed.
  package var hasLeft: Bool { work?.hasLeft ?? false }

  /// Waits while shorter answers are being computed; returns false if the client has left. The caller holds no lock and
  /// no transaction.
  package func goesOn() -> Bool { work?.goesOn() ?? true }

  /// The first field with that name, in any case.
  package subscript(field name: String) -> String? { headers.first(name: name) }

  /// The decoded value of a name in the query. A plus sign and a wrongly encoded value stand for themselves.
  package func value(of name: String) -> String? {
    for pair in (query ?? "").split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts[0] == name {
        return parts.count == 2
          ? percentDecoded(parts[1]).map { String(decoding: $0, as: UTF8.self) } ?? String(parts[1]) : ""
      }
    }
    return nil
  }

  /// Whether the request is not from a page of another site. Every browser names the site of a page that sends a POST;
  /// other programs name none.
  var isOfThisSite: Bool {
    // A proxy may change the host, but not this field.
    if let site = self[field: "Sec-Fetch-Site"] { return site == "same-origin" }
    let (origins, hosts) = (fields("Origin"), fields("Host"))
    return origins.allSatisfy { ["http", "https"].map { "\($0)://\(hosts.first ?? "")" }.contains($0) }
  }

  /// The elements of a list, from all fields with that name and the commas within them.
  func list(_ name: String) -> [Substring] { headers[canonicalForm: name] }

  /// The elements of a list such as Accept-Encoding, in lower case, with the client's weights.
  func wishes(_ name: String) -> [(name: String, weight: Double)] {
    list(name).map { element in
      let parts = element.filter { $0 != " " }.lowercased().split(separator: ";")
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double(decimal: $0.dropFirst(2)) }
      return (parts.first.map(String.init) ?? "", weight ?? 1)
    }
  }

  /// The language that the client prefers among some, such as "de"; the first one if it wants none of them.
  package func language(of offered: [String]) -> String {
    let wishes = wishes("Accept-Language").map { ($0.name.prefix { $0 != "-" }, $0.weight) }
    let wanted = wishes.filter { $0.1 > 0 && offered.contains(String($0.0)) }
    return wanted.max { $0.1 < $1.1 }.map { String($0.0) } ?? offered.first ?? ""
  }

  func fields(_ name: String) -> [String] { headers[name] }
}

package struct HTTPResponse: Sendable {
  package var status: Int
  /// The fields, except Content-Length and Connection.
  package var fields: [(String, String)]
  /// The body. The answer to HEAD has its length but not its bytes.
  package var body: [UInt8]

  package init(status: Int = 200, contentType: String, body: [UInt8]) {
    self.status = status
    fields = [("Content-Type", contentType)]
    self.body = body
  }

  package init(status: Int = 200, contentType: String = "text/plain; charset=utf-8", text: String) {
    self.init(status: status, contentType: contentType, body: Array(text.utf8))
  }
}
