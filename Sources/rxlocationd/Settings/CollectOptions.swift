import ArgumentParser
import Platform
import LocationKit
import Logging
import Writing

/// The outputs of `collect`.
struct CollectOptions: ParsableArguments {
  @Option(
    help: "The location stream on standard output: ndjson, geojson, csv or none. (default: ndjson)",
    completion: .list(StreamFormat.allCases.filter { $0 != .gpx }.map(\.rawValue)),
    transform: parsed(StreamFormat.init(parsing:)))
  var format: StreamFormat = .ndjson

  @Option(
    "journal", "path", "Keep locations and crossings in this SQLite file, or in postgresql://[USER@]HOST/DATABASE.",
    JournalPlace.init(parsing:))
  var journal: JournalPlace?

  @Option("journal-password-file", "path", DatabasePassword.help, DatabasePassword.init(parsing:))
  var database = DatabasePassword()

  @Option("metrics", "host:port", "Serve metrics to Prometheus at /metrics on this address.", Endpoint.init(listening:))
  var metrics: Endpoint?

  @Option(
    "stale-after", "seconds",
    "Report the location of a device as unknown when none has come for this time. (default: 600)", Bounds.staleAfter)
  var staleAfter = 600.0

  @Option(
    "log-level", "level", "trace, debug, info, notice, warning, error or critical. (default: info)", Bounds.logLevel)
  var logLevel: Logger.Level = .info
}

/// The settings of `collect` beside its broker.
@dynamicMemberLookup
struct CollectSettings {
  static let groups: [any ParsableArguments.Type] =
    [CollectOptions.self, FenceOptions.self, JournalBoundOptions.self, MapOptions.self]

  var options: CollectOptions
  var watch: FenceOptions
  var journalBound: JournalBoundOptions
  var map: MapOptions

  var fences: [Region] { watch.fences }

  subscript<Value>(dynamicMember path: KeyPath<CollectOptions, Value>) -> Value { options[keyPath: path] }

  /// The settings that these flags of `collect` give.
  static func parse(_ arguments: [String]) throws -> CollectSettings { try CollectCommand.parse(arguments).settings }

  func check() throws(SettingError) {
    guard options.format != .gpx else {
      // A stream cannot go back to the track of another device.
      throw SettingError(
        "gpx is one track, and this follows many devices, whose fixes would be one line; keep them in a journal, and write a "
          + "file for each with rxlocationd track --journal PATH --device USER/DEVICE --format gpx")
    }
    try watch.fences.checkNames()
    try map.check()
    try journalBound.check(options.journal)
  }
}
