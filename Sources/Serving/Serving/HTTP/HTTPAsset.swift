import Platform

/// A file in memory that is served with a validator, so that a browser loads it once, and compressed if the client accepts
/// that.
package struct HTTPAsset: Sendable {
  private let plain: HTTPResponse
  private let compressed: HTTPResponse?

  /// - Parameter gzipped: The same bytes compressed; ignored unless they are fewer.
  package init(contentType: String, bytes: [UInt8], gzipped: [UInt8]? = nil) {
    func response(_ body: [UInt8], _ mark: String) -> HTTPResponse {
      var response = HTTPResponse(contentType: contentType, body: body)
      let tag = "\"\(String(stableHash(bytes), radix: 36))\(mark)\""
      // The browser asks again each time, because a new version may exist; the answer has only a few bytes then.
      response.fields += [("ETag", tag), ("Cache-Control", "no-cache"), ("Vary", "Accept-Encoding")]
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

  package func response(to request: HTTPRequest) -> HTTPResponse {
    var response = plain
    let acceptsGzip = request.wishes("Accept-Encoding").contains { ["gzip", "*"].contains($0.name) && $0.weight > 0 }
    if let compressed, acceptsGzip { response = compressed }
    let tag = response.fields.first { $0.0 == "ETag" }?.1 ?? ""
    let known = request.list("If-None-Match").map { $0.hasPrefix("W/") ? $0.dropFirst(2) : $0 }
    guard known.contains(where: { $0 == "*" || $0 == tag[...] }) else { return response }
    response.status = 304
    response.body = []
    return response
  }
}
