import ArgumentParser
import GPSD

/// The address of gpsd, for `run`, `monitor` and `doctor`.
struct GPSDOptions: ParsableArguments {
  @Option(
    "gpsd", "host:port[:device]", "Where gpsd listens, and which of its devices to follow. (default: localhost:2947)",
    GPSDEndpoint.init(parsing:))
  var gpsd = GPSDEndpoint()
}
