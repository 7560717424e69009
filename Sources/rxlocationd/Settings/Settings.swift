import RegionSockets
import ArgumentParser
import LocationKit
import Logging
import Output
import Sockets

/// The flags that `run` and `replay` share, which may stand in the configuration file as well. What is declared here and
/// used by the daemon is everything that makes a setting.
struct Settings: ParsableArguments {
  @Option(
    help: "The location stream on standard output: ndjson, geojson, gpx, csv or none. (default: ndjson)",
    transform: parsed(StreamFormat.init(parsing:)))
  var format: StreamFormat = .ndjson

  @OptionGroup var outputs: OutputOptions
  @OptionGroup var sockets: RegionSocketOptions
  @OptionGroup var publishing: PublishingOptions
  @OptionGroup var map: MapOptions

  @Option(
    help: ArgumentHelp("How many readers are served. (default: 4096)", valueName: "count"),
    transform: parsed(Bounds.readerLimit))
  var readerLimit = 4096

  @Option(
    name: .customLong("journal-limit"),
    help: ArgumentHelp(
      "How large the journal may become, with K, M or G: then the oldest rows go. (default: 512M)", valueName: "size"),
    transform: parsed(Bounds.journalLimit))
  var givenJournalLimit: Int?
  var journalLimit: Int { givenJournalLimit ?? 512 << 20 }

  @Option(
    name: .customLong("fence-memory"),
    help: ArgumentHelp("How long the journal's states of fences count. (default: 86400)", valueName: "seconds"),
    transform: parsed(Bounds.fenceMemory))
  var givenFenceMemory: Double?
  var fenceMemory: Double { givenFenceMemory ?? 86_400 }

  @Option(
    help: ArgumentHelp("The map's height and width. (default: 10000)", valueName: "metres"),
    transform: parsed(Bounds.span))
  var span = 10_000.0

  @Option(
    help: ArgumentHelp("Leave out fixes nearer than this to the last one reported.", valueName: "metres"),
    transform: parsed(Bounds.distanceFilter))
  var distanceFilter: Double?

  @Option(
    help: ArgumentHelp(
      "Leave out fixes whose horizontal accuracy is worse than this or unknown.", valueName: "metres"),
    transform: parsed(Bounds.accuracy))
  var accuracy: Double?

  @OptionGroup var watch: WatchOptions

  @Option(
    help: ArgumentHelp("trace, debug, info, notice, warning, error or critical. (default: info)", valueName: "level"),
    transform: parsed(Bounds.logLevel))
  var logLevel: Logger.Level = .info

  /// The settings that a reload takes over; the others need a restart.
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
    // What is published waits in a journal as well, which remembers no fences after the end.
    if givenJournalLimit != nil && outputs.journal == nil && publishing.broker == nil {
      throw SettingError("journal-limit is for a journal; give journal or publish as well, or leave it out")
    }
    if givenFenceMemory != nil && outputs.journal == nil {
      throw SettingError("fence-memory is for a journal; give journal as well, or leave it out")
    }
    try sockets.check()
    try publishing.check()
    try map.check()
  }

  /// Compares settings with what is on this machine.
  func checkMachine() throws(SettingError) {
    try sockets.checkMachine()
    try publishing.checkMachine()
  }
}

/// What else the daemon opens for writing, for `run`, `replay` and `doctor`.
struct OutputOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Append region updates to this file; - is standard output, with --format none.", valueName: "path"),
    transform: parsed(Bounds.path))
  var regionLog: String?

  @Option(
    help: ArgumentHelp("Serve metrics to Prometheus at /metrics on this address.", valueName: "host:port"),
    transform: parsed(TCPAddress.init(parsing:)))
  var metrics: TCPAddress?

  @Option(
    help: ArgumentHelp(
      "Keep locations, crossings and errors in this SQLite file, and fences' states across restarts.",
      valueName: "path"),
    transform: parsed(Bounds.journal))
  var journal: String?
}

/// What a location manager watches, for `run`, `replay` and `monitor`.
struct WatchOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Report the location as unknown when no fix has come for so long. (default: 10)", valueName: "seconds"),
    transform: parsed(Bounds.staleAfter))
  var staleAfter = 10.0

  @Option(
    name: .customLong("fence"),
    help: ArgumentHelp(
      "Report entering and leaving a circle, in degrees and metres. Repeatable.",
      valueName: "id=latitude,longitude,radius"),
    transform: parsed(CircularRegion.init(parsing:)))
  var fences: [CircularRegion] = []

  /// Checks combinations of options.
  func check() throws(SettingError) { try fences.checkNames() }
}

/// Which region sockets there are, for `run`, `replay` and `doctor`.
struct RegionSocketOptions: ParsableArguments {
  @Option(
    name: .customLong("region-socket"),
    help: ArgumentHelp(
      "Serve region updates to any number of readers, on unix:PATH or tcp:HOST:PORT. Repeatable.",
      valueName: "address"),
    transform: parsed(RegionSocketAddress.init(parsing:)))
  var addresses: [RegionSocketAddress] = []

  @Option(
    name: .customLong("region-socket-mode"),
    help: ArgumentHelp("The mode of Unix region sockets. (default: 660)", valueName: "octal"),
    transform: parsed(Bounds.mode))
  var mode: UInt16?

  @Option(
    name: .customLong("region-socket-group"),
    help: ArgumentHelp("The group of Unix region sockets.", valueName: "group"))
  var group: String?

  /// Checks combinations of options.
  func check() throws(SettingError) {
    guard !addresses.contains(where: { if case .unix = $0 { true } else { false } }) else { return }
    for (name, isGiven) in [("region-socket-mode", mode != nil), ("region-socket-group", group != nil)] where isGiven {
      throw SettingError("\(name) is for unix sockets; give region-socket unix:PATH as well, or leave it out")
    }
  }

  /// Compares settings with what is on this machine.
  func checkMachine() throws(SettingError) {
    if let group, !Listeners.hasGroup(group) {
      throw SettingError("region-socket-group '\(group)' is no group of this machine")
    }
  }
}

/// Lets the argument parser print the message of an error of ours behind the flag and the value it refuses.
func parsed<Value, Failure: Error>(
  _ parse: @escaping @Sendable (String) throws(Failure) -> Value
) -> @Sendable (String) throws -> Value {
  { text in
    do {
      return try parse(text)
    } catch {
      throw ValidationError(String(describing: error))
    }
  }
}
