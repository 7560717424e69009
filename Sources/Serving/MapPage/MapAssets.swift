import FoundationEssentials
import Platform
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
    for (name, bytes) in Self.shared + Self.own(page) { serve("/\(name)", bytes) }
    routes["/"] = translatedPage(page == .receiver ? PackageResources.index_html : PackageResources.devices_html)
    let base64 = UnsafeRawPointer(World.base64.utf8Start)
    let text = Data(bytes: base64, count: World.base64.utf8CodeUnitCount)
    let world = HTTPAsset(contentType: "application/octet-stream", bytes: Array(Data(base64Encoded: text) ?? Data()))
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

  /// This program's files that both pages share, by name.
  private static var shared: [(String, [UInt8])] {
    [
      ("map.css", PackageResources.map_css), ("icon.svg", PackageResources.icon_svg),
      ("stream.js", PackageResources.stream_js), ("units.js", PackageResources.units_js),
      ("base.js", PackageResources.base_js), ("graticule.js", PackageResources.graticule_js),
      ("canvas.js", PackageResources.canvas_js), ("scale.js", PackageResources.scale_js),
      ("world.js", PackageResources.world_js), ("vector.js", PackageResources.vector_js),
      ("vectorworker.js", PackageResources.vectorworker_js), ("vectorstyle.js", PackageResources.vectorstyle_js),
      ("mvt.js", PackageResources.mvt_js),
      ("chart.js", PackageResources.chart_js), ("days.js", PackageResources.days_js),
      ("fences.js", PackageResources.fences_js), ("words.js", PackageResources.words_js),
    ]
  }

  private static func own(_ page: Page) -> [(String, [UInt8])] {
    switch page {
    case .receiver:
      [
        ("main.js", PackageResources.main_js), ("status.js", PackageResources.status_js),
        ("panel.js", PackageResources.panel_js), ("sky.js", PackageResources.sky_js),
        ("map.js", PackageResources.map_js), ("trail.js", PackageResources.trail_js),
        ("speeds.js", PackageResources.speeds_js), ("position.js", PackageResources.position_js),
        ("history.js", PackageResources.history_js), ("calendar.js", PackageResources.calendar_js),
        ("places.js", PackageResources.places_js), ("replay.js", PackageResources.replay_js),
        ("figures.js", PackageResources.figures_js),
      ]
    case .devices:
      [
        ("devices.css", PackageResources.devices_css), ("devices.js", PackageResources.devices_js),
        ("devicemap.js", PackageResources.devicemap_js), ("devicelist.js", PackageResources.devicelist_js),
        ("fleet.js", PackageResources.fleet_js), ("devicehistory.js", PackageResources.devicehistory_js),
      ]
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
    // Opening a pipe would block.
    guard let file = try? FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
    else { return nil }
    return try? file.closeAfter {
      guard file.isRegularFile else { return nil }
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
