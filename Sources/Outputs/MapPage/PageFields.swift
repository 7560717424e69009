import HTTP

/// The fields of every answer of a page.
enum PageFields {
  /// The page runs no foreign script, and loads nothing from other servers except the configured tiles.
  static func fields(_ tiles: MapTiles?) -> [(String, String)] {
    let images = tiles?.origin.map { " \($0)" } ?? ""
    let policy =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:\(images); connect-src 'self'; "
      + "base-uri 'none'; form-action 'none'"
    // Tile servers want to know the site of a request.
    return [("Content-Security-Policy", policy), ("Referrer-Policy", "strict-origin-when-cross-origin")]
  }

  /// Adds the fields to the answers of a route.
  static func document(
    _ fields: [(String, String)], _ make: @escaping @Sendable (HTTPRequest) -> HTTPResponse
  ) -> @Sendable (HTTPRequest) -> HTTPResponse {
    { request in
      var response = make(request)
      response.fields += fields.map { (name: $0.0, value: $0.1) }
      return response
    }
  }
}

extension HTTPResponse {
  /// A document that may be different at the next request.
  init(json: [UInt8]) {
    self.init(contentType: "application/json", body: json)
    fields.append(("Cache-Control", "no-store"))
  }
}
