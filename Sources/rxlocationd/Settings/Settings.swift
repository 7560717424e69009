import ArgumentParser
import Platform
import LocationKit
import Logging
import Output

/// The flags that `run` and `replay` share, which may also be in the configuration file. To add a setting, declare it
/// here and use it in the daemon.
struct Settings: ParsableArguments {
  @Option(
    help: "The location stream on standard output: ndjson, geojson, gpx, csv or none. (default: ndjson)",
    transform: parsed(StreamFormat.init(parsing:)))
  var format: StreamFormat = .ndjson

  @OptionGroup var outputs: OutputOptions
  @OptionGroup var sockets: RegionSocketOptions
  @OptionGroup var publishing: PublishingOptions
  @OptionGroup var map: MapOptions

  @Option("reader-limit", "count", "How many readers are served. (default: 4096)", Bounds.readerLimit)
  var readerLimit = 4096

  @OptionGroup var journalBound: JournalBoundOptions

  @Option(
    "fence-memory", "seconds", "How long the journal's states of fences count. (default: 86400)", Bounds.fenceMemory)
  var givenFenceMemory: Double?
  var fenceMemory: Double { givenFenceMemory ?? 86_400 }

  @Option("span", "metres", "The map's height and width. (default: 10000)", Bounds.span)
  var span = 10_000.0

  @Option(
    "distance-filter", "metres", "Leave out fixes nearer than this to the last one reported.", Bounds.distanceFilter)
  var distanceFilter: Double?

  @Option(
    "accuracy", "metres", "Leave out fixes whose horizontal accuracy is worse than this or unknown.", Bounds.accuracy)
  var accuracy: Double?

  @OptionGroup var watch: WatchOptions

  @Option(
    "log-level", "level", "trace, debug, info, notice, warning, error or critical. (default: info)", Bounds.logLevel)
  var logLevel: Logger.Level = .info

  /// The settings that a reload applies; the others need a restart.
  static let reloadable: Set = ["span", "distance-filter", "accuracy", "stale-after", "fence"]

  /// Checks combinations of options.
  ///
  /// - Throws: `SettingError` for settings that contradict each other.
  func check() throws(SettingError) {
    try watch.check()
    if outputs.regionLog == "-" && format != .none {
      throw SettingError(
        "region log '-' is standard output, which carries locations; say --format none as well, or name a file")
    }
    // Records to publish also wait in a journal, which does not remember fences after the end.
    try journalBound.check(outputs.journal, isPublishing: !publishing.addresses.isEmpty)
    try outputs.database.check(outputs.journal)
    if outputs.journal == nil {
      try SettingError.refuse(["fence-memory": givenFenceMemory != nil], for: "a journal", without: "journal")
    } else if outputs.journal?.path == nil && givenFenceMemory != nil {
      throw SettingError("fence-memory is for a journal's file, since a database remembers no fences; leave it out")
    }
    try sockets.check()
    try publishing.check()
    try map.check()
  }

  /// Checks settings against this machine.
  func checkMachine() throws(SettingError) {
    try sockets.checkMachine()
    try publishing.checkMachine()
  }
}

/// Other outputs of the daemon, for `run`, `replay` and `doctor`.
struct OutputOptions: ParsableArguments {
  @Option(
    "region-log", "path", "Append region updates to this file; - is standard output, with --format none.", Bounds.path)
  var regionLog: String?

  @Option("metrics", "host:port", "Serve metrics to Prometheus at /metrics on this address.", Endpoint.init(listening:))
  var metrics: Endpoint?

  @Option(
    "journal", "path",
    "Keep locations, crossings and errors in this SQLite file, and fences' states across restarts; or locations and crossings "
      + "in postgresql://[USER@]HOST/DATABASE.", JournalPlace.init(parsing:))
  var journal: JournalPlace?
  @OptionGroup var database: DatabasePasswordOptions
}

/// The settings of a location manager, for `run`, `replay` and `monitor`.
struct WatchOptions: ParsableArguments {
  @Option(
    "stale-after", "seconds", "Report the location as unknown when no fix has come for so long. (default: 10)",
    Bounds.staleAfter)
  var staleAfter = 10.0

  @Option(
    "fence", "id=latitude,longitude,radius", "Report entering and leaving a circle, in degrees and metres. Repeatable.",
    CircularRegion.init(parsing:))
  var fences: [CircularRegion] = []

  /// Checks combinations of options.
  func check() throws(SettingError) { try fences.checkNames() }
}
