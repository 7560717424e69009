import ArgumentParser
import Serving
import MapPage
import Writing
import Platform
import SystemPackage

struct MapOptions: ParsableArguments {
  @Option("map", "host:port", "Serve a page with the map to browsers on this address.", Endpoint.init(listening:))
  var address: Endpoint?

  @Option(
    "map-name", "name", "A further name that browsers may use for this host, such as that of a proxy. Repeatable.",
    Bounds.hostName)
  var names: [String] = []

  @Option(
    "map-tiles", "url|file",
    "The tiles under the map: a server's URL with {z}, {x} and {y}, or a PMTiles or MBTiles file. (default: nothing)",
    Bounds.path)
  var tiles: String?

  @Option(
    name: .customLong("map-attribution"),
    help: ArgumentHelp("The attribution of the tiles on the map; required for a URL.", valueName: "text"))
  var attribution: String?

  @Option(
    "map-assets", "folder", "The folder of Leaflet's files. (default: /usr/share/javascript/leaflet)", Bounds.path)
  var assets: String?

  private var tileServer: String? {
    tiles.flatMap { $0.hasPrefix("https://") || $0.hasPrefix("http://") ? $0 : nil }
  }

  func check() throws(SettingError) {
    guard let tileServer else { return }
    guard let attribution, !attribution.isEmpty else {
      throw SettingError(
        "map-tiles \(tileServer): say who made the map with map-attribution, as its licence asks, "
          + "such as '© OpenStreetMap contributors'")
    }
    do {
      _ = try MapTiles(url: tileServer, attribution: attribution)
    } catch {
      throw SettingError("map-tiles: \(error)")
    }
  }

  func configuration(
    source: String, kind: MapPage.Configuration.Kind, onNotice: @escaping OutputNotice.Handler
  ) throws(CommandError) -> MapPage.Configuration {
    var configuration = MapPage.Configuration(version: RxLocationD.version, source: source, kind: kind)
    if let assets { configuration.leafletFolder = assets }
    configuration.tiles = try openTiles(onNotice)
    return configuration
  }

  /// `onNotice` gets the problems of the file.
  func openTiles(_ onNotice: @escaping OutputNotice.Handler) throws(CommandError) -> MapTiles? {
    if let tileServer { return try? MapTiles(url: tileServer, attribution: attribution) }
    guard let tiles else { return nil }
    do {
      var archive = try MapTiles(file: FilePath(tiles), attribution: attribution)
      archive.onProblem = { onNotice(OutputNotice(.warning, "map-tiles \(tiles): \($0)")) }
      return archive
    } catch {
      guard error.code == .damaged else { throw CommandError(.noInput, "map-tiles \(tiles): \(error)") }
      // The position matters more than the map beneath it.
      onNotice(OutputNotice(.warning, "map-tiles \(tiles): \(error); the page is served without it"))
      return nil
    }
  }

  /// `help` is a hint for a page without a map, and `who` names the receiver or devices in messages.
  func serve(
    _ routes: [String: HTTPRoute], help: String?, on network: NetworkLoop, at address: Endpoint, showing who: String,
    onNotice: @escaping OutputNotice.Handler
  ) async throws(CommandError) -> HTTPServer {
    if let help { onNotice(OutputNotice(.warning, "map page: \(help)")) }
    return try await HTTPServer.start(
      "map page", routes, hosts: HTTPHosts(of: address, and: names), on: network, at: address,
      exposing: " and see where \(who)", onNotice: onNotice)
  }
}
