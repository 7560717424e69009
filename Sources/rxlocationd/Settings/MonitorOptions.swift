import ArgumentParser
import Platform
import LocationKit
import NMEA

/// The settings of `monitor`.
struct MonitorOptions: ParsableArguments {
  @Option(
    "speed", "factor", "How many times the recorded pace, or max for as fast as the machine can. (default: 1)",
    NMEASource.Speed.init(parsing:))
  var speed: NMEASource.Speed?

  @OptionGroup var watch: WatchOptions

  @Option(
    "metrics", "host:port", "Show what the outputs do of the daemon that serves its metrics on this address.",
    Endpoint.init(listening:))
  var metrics: Endpoint?

  @Option(help: "What it measures in: metric, imperial or nautical. (default: by the locale)")
  var units: MeasurementUnits?

  /// Checks combinations of options.
  ///
  /// - Throws: `SettingError` for settings that contradict each other.
  func check(hasFiles: Bool) throws(SettingError) {
    try watch.check()
    if speed != nil, !hasFiles { throw SettingError("--speed is for recordings; name one, or leave it out") }
  }
}
