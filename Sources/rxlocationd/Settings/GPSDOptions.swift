import ArgumentParser
import GPSD

/// Where gpsd is, for `run`, `monitor` and `doctor`.
struct GPSDOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Where gpsd listens, and which of its devices to follow. (default: localhost:2947)",
      valueName: "host:port[:device]"),
    transform: parsed(GPSDEndpoint.init(parsing:)))
  var gpsd = GPSDEndpoint()
}
