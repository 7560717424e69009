import CMapAssets
import Platform
import Records
import Serving
import SystemPackage

struct MapAssets {
  enum Page {
    case receiver
    case devices
  }

  let routes: [String: HTTPRoute]
  /// The advice about missing files of Leaflet, in one sentence; `nil` if none is missing.
  let help: String?

  init(_ page: Page, leafletIn folder: String) {
    var routes: [String: HTTPRoute] = [:]
    func serve(_ path: String, _ bytes: [UInt8]) {
      let asset = HTTPAsset(contentType: Self.contentType(of: path), bytes: bytes, gzipped: try? gzip(bytes))
      routes[path] = .answer { asset.response(to: $0) }
    }
    for name in Self.shared + Self.own(page) { serve("/\(name)", Self.bytes(of: name)) }
    routes["/"] = translatedPage(Self.bytes(of: page == .receiver ? "index.html" : "devices.html"))
    // Natural Earth's coasts, borders, lakes and names, as Scripts/world writes them.
    let world = HTTPAsset(contentType: "application/octet-stream", bytes: Self.bytes(of: "world.bin"))
    // It is gzipped, which every browser accepts.
    routes["/world.bin"] = HTTPRoute.answer { world.response(to: $0) }.adding([("Content-Encoding", "gzip")])
    // Its pictures are of marks and controls that the page does not have.
    let leaflet = ["/leaflet/leaflet.js": "leaflet.min.js", "/leaflet/leaflet.css": "leaflet.css"]
    for (path, name) in leaflet {
      if let bytes = Self.contents(of: FilePath(folder).appending(name)) { serve(path, bytes) }
    }
    help =
      leaflet.keys.allSatisfy { routes[$0] != nil }
      ? nil : "Leaflet is not in \(folder): install the package libjs-leaflet and restart"
    self.routes = routes
  }

  /// A file of Assets, which is part of the program.
  static func bytes(of name: String) -> [UInt8] {
    var count = 0
    let start = cmapassets_bytes(name, &count)
    return Array(UnsafeBufferPointer(start: start, count: count))
  }

  /// The names of this program's files that both pages share.
  private static var shared: [String] {
    [
      "map.css", "icon.svg", "stream.js", "units.js", "base.js", "graticule.js", "canvas.js", "scale.js",
      "world.js", "vector.js", "vectorworker.js", "vectorstyle.js", "mvt.js", "chart.js", "days.js", "fences.js",
      "words.js",
    ]
  }

  private static func own(_ page: Page) -> [String] {
    switch page {
    case .receiver:
      [
        "main.js", "status.js", "panel.js", "sky.js", "map.js", "trail.js", "speeds.js", "position.js",
        "history.js", "calendar.js", "places.js", "replay.js", "figures.js",
      ]
    case .devices:
      ["devices.css", "devices.js", "devicemap.js", "devicelist.js", "fleet.js", "devicehistory.js"]
    }
  }

  /// The routes of a page: its own ones, those of its files and those of its tiles.
  ///
  /// The page runs no foreign script, and loads nothing from other servers except the configured tiles.
  func routes(with own: [String: HTTPRoute], _ tiles: MapTiles?) -> [String: HTTPRoute] {
    let images = tiles?.origin.map { " \($0)" } ?? ""
    let policy =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:\(images); connect-src 'self'; "
      + "base-uri 'none'; form-action 'none'"
    // Tile servers want to know the site of a request.
    let fields = [("Content-Security-Policy", policy), ("Referrer-Policy", "strict-origin-when-cross-origin")]
    var all = routes.merging(own) { $1 }
    all["/tiles/"] = tiles?.route
    return all.mapValues { $0.adding(fields) }
  }

  private static func contentType(of path: String) -> String {
    switch path.split(separator: ".").last {
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    default: "image/svg+xml"
    }
  }

  private static func contents(of path: FilePath) -> [UInt8]? {
    guard let file = try? FileDescriptor.map(path) else { return nil }
    return try? file.closeAfter {
      // Far more than the size of Leaflet.
      let limit = 8 << 20
      let bytes = try file.readToEnd(limit: limit)
      return bytes.isEmpty || bytes.count > limit ? nil : bytes
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

/// The route of a page in each language of words.json: a browser gets the language that it prefers, or else the first one.
///
/// - Parameter html: The page, with `{{key}}` for a word, `{{words}}` for all of them, and `{{language}}`.
private func translatedPage(_ html: [UInt8]) -> HTTPRoute {
  let pieces = String(decoding: html, as: UTF8.self).split(separator: "{{", omittingEmptySubsequences: false)
  var languages: [String] = []
  var pages: [String: HTTPAsset] = [:]
  try? JSONReader.forEachMember(of: MapAssets.bytes(of: "words.json")) { key, value in
    guard let language = JSONReader.text(key), case .nested(let json) = value else { return }
    var words = ["language": language, "words": String(decoding: json, as: UTF8.self)]
    var reader = JSONReader(json)
    try? reader.forEachMember { key, value in
      // The script has the groups of words. No word contains a character that HTML reserves.
      if let key = JSONReader.text(key), case .string(let text) = value { words[key] = JSONReader.text(text) }
    }
    let page = pieces.dropFirst().reduce(into: String(pieces[0])) { page, piece in
      let parts = piece.split(separator: "}}", maxSplits: 1, omittingEmptySubsequences: false)
      page += (words[String(parts[0])] ?? "") + parts[1]
    }
    let bytes = Array(page.utf8)
    pages[language] = HTTPAsset(contentType: "text/html; charset=utf-8", bytes: bytes, gzipped: try? gzip(bytes))
    languages.append(language)
  }
  return .answer { [pages, languages] request in
    pages[request.language(of: languages)]?.response(to: request) ?? HTTPResponse(status: 500, text: "no words\n")
  }.adding([("Vary", "Accept-Language"), ("Cache-Control", "private")])
}
