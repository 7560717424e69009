import ArgumentParser
import Sockets

/// The page that shows the map in a browser, for `run` and `replay`.
struct MapOptions: ParsableArguments {
  @Option(
    name: .customLong("map"),
    help: ArgumentHelp("Serve a live map to browsers on this address.", valueName: "host:port"),
    transform: parsed(TCPAddress.init(parsing:)))
  var address: TCPAddress?

  @Option(
    name: .customLong("map-name"),
    help: ArgumentHelp(
      "A further name that browsers may use for this host, such as that of a proxy. Repeatable.", valueName: "name"),
    transform: parsed(Bounds.hostName))
  var names: [String] = []

  @Option(
    name: .customLong("map-assets"),
    help: ArgumentHelp("The folder of Leaflet's files. (default: /usr/share/javascript/leaflet)", valueName: "folder"),
    transform: parsed(Bounds.path))
  var assets: String?
}
