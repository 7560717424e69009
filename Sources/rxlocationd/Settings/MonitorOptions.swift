import ArgumentParser
import LocationKit
import NMEA
import Sockets

/// What `monitor` shows, and how.
struct MonitorOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How many times the recorded pace, or max for as fast as the machine can. (default: 1)", valueName: "factor"),
    transform: parsed(NMEASource.Speed.init(parsing:)))
  var speed: NMEASource.Speed?

  @Option(
    help: ArgumentHelp(
      "Show the fix as lost when none has come for so long. (default: 10)", valueName: "seconds"),
    transform: parsed(Bounds.staleAfter))
  var staleAfter = 10.0

  @Option(
    name: .customLong("fence"),
    help: ArgumentHelp(
      "Show on which side of a circle the receiver is, in degrees and metres. Repeatable.",
      valueName: "id=latitude,longitude,radius"),
    transform: parsed(CircularRegion.init(parsing:)))
  var fences: [CircularRegion] = []

  @Option(
    help: ArgumentHelp(
      "Show what the outputs do of the daemon that serves its metrics on this address.", valueName: "host:port"),
    transform: parsed(TCPAddress.init(parsing:)))
  var metrics: TCPAddress?

  /// Compares what only the whole can show.
  ///
  /// - Throws: `SettingError` for settings that contradict each other.
  func check(hasFiles: Bool) throws(SettingError) {
    try fences.checkNames()
    if speed != nil, !hasFiles { throw SettingError("--speed is for recordings; name one, or leave it out") }
  }
}
