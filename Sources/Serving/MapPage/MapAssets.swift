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
    func serve(_ path: String, _ bytes: [UInt8], gzipped: [UInt8]?) {
      let asset = HTTPAsset(contentType: Self.contentType(of: path), bytes: bytes, gzipped: gzipped)
      routes[path] = .answer { asset.response(to: $0) }
    }
    for (name, bytes) in Self.shared + Self.own(page) {
      serve(name.hasSuffix(".html") ? "/" : "/\(name)", bytes, gzipped: try? gzip(bytes))
    }
    let base64 = UnsafeRawPointer(World.base64.utf8Start)
    let text = Data(bytes: base64, count: World.base64.utf8CodeUnitCount)
    let world = HTTPAsset(contentType: "application/octet-stream", bytes: Array(Data(base64Encoded: text) ?? Data()))
    // It is gzipped, which every browser accepts.
    routes["/world.bin"] = HTTPRoute.answer { world.response(to: $0) }.adding([("Content-Encoding", "gzip")])
    let leaflet = FilePath(folder)
    var isComplete = true
    for (path, name, isNeeded) in Self.leaflet {
      guard let bytes = Self.contents(of: leaflet.appending(name)) else {
        isComplete = isComplete && !isNeeded
        continue
      }
      let isPicture = path.hasSuffix(".png")
      let gzipped = isPicture ? nil : Self.contents(of: leaflet.appending(name + ".gz")) ?? (try? gzip(bytes))
      serve(path, bytes, gzipped: gzipped)
    }
    help = isComplete ? nil : "Leaflet is not in \(folder): install the package libjs-leaflet and restart"
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
      ("fences.js", PackageResources.fences_js),
    ]
  }

  private static func own(_ page: Page) -> [(String, [UInt8])] {
    switch page {
    case .receiver:
      [
        ("index.html", PackageResources.index_html), ("main.js", PackageResources.main_js),
        ("status.js", PackageResources.status_js), ("panel.js", PackageResources.panel_js),
        ("sky.js", PackageResources.sky_js), ("map.js", PackageResources.map_js),
        ("trail.js", PackageResources.trail_js), ("speeds.js", PackageResources.speeds_js),
        ("position.js", PackageResources.position_js), ("history.js", PackageResources.history_js),
        ("calendar.js", PackageResources.calendar_js), ("places.js", PackageResources.places_js),
        ("replay.js", PackageResources.replay_js),
      ]
    case .devices:
      [
        ("devices.html", PackageResources.devices_html), ("devices.css", PackageResources.devices_css),
        ("devices.js", PackageResources.devices_js), ("devicemap.js", PackageResources.devicemap_js),
        ("devicelist.js", PackageResources.devicelist_js), ("fleet.js", PackageResources.fleet_js),
        ("devicehistory.js", PackageResources.devicehistory_js),
      ]
    }
  }

  /// Leaflet's files: their paths on this server, their names, and whether the map needs them.
  private static let leaflet: [(path: String, name: String, isNeeded: Bool)] = [
    ("/leaflet/leaflet.js", "leaflet.min.js", true), ("/leaflet/leaflet.css", "leaflet.css", true),
    ("/leaflet/images/layers.png", "images/layers.png", false),
    ("/leaflet/images/layers-2x.png", "images/layers-2x.png", false),
    ("/leaflet/images/marker-icon.png", "images/marker-icon.png", false),
    ("/leaflet/images/marker-icon-2x.png", "images/marker-icon-2x.png", false),
    ("/leaflet/images/marker-shadow.png", "images/marker-shadow.png", false),
  ]

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
    case "svg": "image/svg+xml"
    case "png": "image/png"
    default: "text/html; charset=utf-8"
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
