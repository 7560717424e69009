/// A file in memory that is served with a validator, so that a browser has it sent once, and compressed where it can take
/// that.
public struct HTTPAsset: Sendable {
  private let plain: HTTPResponse
  private let compressed: HTTPResponse?

  /// Creates an asset.
  ///
  /// - Parameters:
  ///   - gzipped: The same, compressed; what is no smaller is left out.
  ///   - fields: Further fields of the answer.
  public init(contentType: String, bytes: [UInt8], gzipped: [UInt8]? = nil, fields: [(String, String)] = []) {
    func response(_ body: [UInt8], _ mark: String) -> HTTPResponse {
      var response = HTTPResponse(contentType: contentType, body: body)
      let tag = "\"\(String(Self.hash(bytes), radix: 36))\(mark)\""
      // Asked again each time, for a new version's sake: an answer of a few bytes.
      response.fields += [("ETag", tag), ("Cache-Control", "no-cache"), ("Vary", "Accept-Encoding")]
      response.fields += fields.map { (name: $0.0, value: $0.1) }
      return response
    }
    plain = response(bytes, "")
    compressed = gzipped.flatMap { gzipped in
      guard gzipped.count < bytes.count else { return nil }
      var response = response(gzipped, "-gz")
      response.fields.append(("Content-Encoding", "gzip"))
      return response
    }
  }

  /// The answer to a request: 304 without a body when the client has it.
  public func response(to request: HTTPRequest) -> HTTPResponse {
    var response = plain
    if let compressed, Self.takesGzip(request) { response = compressed }
    let tag = response.fields.first { $0.name == "ETag" }?.value ?? ""
    let known = request.list("If-None-Match").map { $0.hasPrefix("W/") ? $0.dropFirst(2) : $0 }
    guard known.contains(where: { $0 == "*" || $0 == tag[...] }) else { return response }
    response.status = 304
    response.body = []
    return response
  }

  private static func takesGzip(_ request: HTTPRequest) -> Bool {
    request.list("Accept-Encoding").contains { element in
      let parts = element.split(separator: ";").map { $0.filter { $0 != " " }.lowercased() }
      guard parts.first == "gzip" || parts.first == "*" else { return false }
      return !parts.dropFirst().contains { $0.hasPrefix("q=0") && Double($0.dropFirst(2)) == 0 }
    }
  }

  /// FNV-1a.
  private static func hash(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
