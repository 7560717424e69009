import ArgumentParser
import GPSD
import LocationKit
import Logging
import Platform
import Serving
import SystemPackage

/// The flags that `run` and `replay` share, which may also be in the configuration file. To add a setting, declare it in the
/// group to which it belongs and use it in the daemon.
///
/// The commands have the groups side by side, because the argument parser's checks in debug builds take four times as long for
/// each level of groups.
@dynamicMemberLookup
struct Settings {
  static let groups: [any ParsableArguments.Type] =
    [
      GeneralOptions.self, OutputOptions.self, RegionSocketOptions.self, MapOptions.self, PrivacyOptions.self,
      JournalBoundOptions.self, FenceOptions.self,
    ] + PublishingSettings.groups

  var general: GeneralOptions
  var outputs: OutputOptions
  var sockets: RegionSocketOptions
  var publishing: PublishingSettings
  var map: MapOptions
  var privacy: PrivacyOptions
  var journalBound: JournalBoundOptions
  var watch: FenceOptions

  subscript<Value>(dynamicMember path: KeyPath<GeneralOptions, Value>) -> Value { general[keyPath: path] }

  static func parse(_ arguments: [String]) throws -> Settings { try RunCommand.parse(arguments).settings }

  /// The settings that a reload applies; the others need a restart.
  static let reloadable: Set = ["span", "distance-filter", "accuracy", "stale-after", "fence", "fences"]

  func check() throws(SettingError) {
    try watch.fences.checkNames()
    if outputs.regionLog == "-" && general.format != .none {
      throw SettingError(
        "region log '-' is standard output, which carries locations; say --format none as well, or name a file")
    }
    // Records to publish also wait in a journal, which does not remember fences after the end.
    try journalBound.check(outputs.journal, isPublishing: !publishing.addresses.isEmpty)
    if case .database = outputs.journal, general.givenFenceMemory != nil {
      throw SettingError("fence-memory is for a journal's file, since a database remembers no fences; leave it out")
    }
    try publishing.check()
    try map.check()
    try privacy.check(watch.fences)
    if outputs.fenceState != nil,
      let fence = watch.fences.first(where: { !FenceDirectory.isFileName($0.identifier) })
    {
      throw SettingError(
        "fence-state: the fence '\(fence.identifier)' has no name for a file; rename it, or leave fence-state out")
    }
  }

  /// Checks settings against this machine. `record` is that of the receiver.
  func checkMachine(record: String? = nil) throws(SettingError) {
    try sockets.checkMachine()
    try publishing.checkMachine()
    try privacy.checkMachine()
    try Destination.check(outputs, sockets, map, record: record, writesStandardOutput: general.format != .none)
  }

  /// What a destination with these rules may know. The zones of `hide` are those of the fences at the start.
  func policy(_ rules: [PrivacyRule]) throws(CommandError) -> PrivacyPolicy {
    try PrivacyPolicy(rules, fences: watch.fences)
  }
}

struct GeneralOptions: ParsableArguments {
  @Option(
    help: "The location stream on standard output: ndjson, geojson, gpx, csv or none. (default: ndjson)",
    completion: .list(StreamFormat.allCases.map(\.rawValue)), transform: parsed(StreamFormat.init(parsing:)))
  var format: StreamFormat = .ndjson

  @Option("reader-limit", "count", "The greatest number of readers. (default: 4096)", Bounds.readerLimit)
  var readerLimit = 4096

  @Flag(
    help: ArgumentHelp(
      "Write less to the disk: the journal and the region log leave out fixes within ten metres for up to four minutes, and the "
        + "journal is written every 20 s unless it is published."))
  var spareDisk = false

  @Option(
    "fence-memory", "seconds", "How long the journal's states of fences are valid. (default: 86400)", Bounds.fenceMemory
  )
  var givenFenceMemory: Double?
  var fenceMemory: Double { givenFenceMemory ?? 86_400 }

  @Option("span", "metres", "The map's height and width. (default: 10000)", Bounds.span)
  var span = 10_000.0

  @Option(
    "stale-after", "seconds", "Report the location as unknown when no fix has come for this time. (default: 10)",
    Bounds.staleAfter)
  var staleAfter = 10.0

  @Option(
    "distance-filter", "metres", "Leave out fixes nearer than this to the last one reported.", Bounds.distanceFilter)
  var distanceFilter: Double?

  @Option(
    "accuracy", "metres", "Leave out fixes whose horizontal accuracy is worse than this or unknown.", Bounds.accuracy)
  var accuracy: Double?

  @Option(
    "max-speed", "metres/second",
    "Leave out jumps: fixes that can be reached only at this speed or faster. Fences see them.", Bounds.maximumSpeed)
  var maxSpeed: Double?

  @Option(
    "hold", "metres", "Keep the position still until the receiver has moved by more than this. Fences see it move.",
    Bounds.hold)
  var hold: Double?

  @Option(
    "log-level", "level", "trace, debug, info, notice, warning, error or critical. (default: info)", Bounds.logLevel)
  var logLevel: Logger.Level = .info
}

struct OutputOptions: ParsableArguments {
  @Option(
    "region-log", "path", "Append region updates to this file; - is standard output, with --format none.", Bounds.path)
  var regionLog: String?

  @Option(
    "fence-state", "folder", "Keep a file with the name of each fence in this folder while the receiver is inside.",
    Bounds.path)
  var fenceState: String?

  @Option("metrics", "host:port", "Serve metrics to Prometheus at /metrics on this address.", Endpoint.init(listening:))
  var metrics: Endpoint?

  @Option(
    "journal", "path",
    "Keep locations, crossings and errors in this SQLite file, and fences' states across restarts; or locations and crossings "
      + "in postgresql://[USER@]HOST/DATABASE.", JournalPlace.init(parsing:))
  var journal: JournalPlace?

  @Option("journal-password-file", "path", DatabasePassword.help, DatabasePassword.init(parsing:))
  var database = DatabasePassword()
}

struct FenceOptions: ParsableArguments {
  @Option(
    "fence", "id=latitude,longitude,radius",
    "Report entering and leaving a circle, in degrees and metres. Repeatable.", Region.init(parsing:))
  var fences: [Region] = []

  @Option("fences", "file", "Also report the fences of this GeoJSON file.", Bounds.file)
  var fenceFile: FilePath?
}

struct RegionSocketOptions: ParsableArguments {
  @Option(
    "location-socket", "address",
    "Serve locations and their state to any number of programs, on unix:PATH or tcp:HOST:PORT. Repeatable.",
    RegionSocketAddress.init(parsing:))
  var locations: [RegionSocketAddress] = []

  @Option(
    help: "The format of location sockets: ndjson, geojson, gpx or csv. (default: ndjson)",
    completion: .list(StreamFormat.allCases.filter { $0 != .none }.map(\.rawValue)),
    transform: parsed(StreamFormat.init(parsingSocket:)))
  var locationSocketFormat: StreamFormat = .ndjson

  @Option(
    "region-socket", "address",
    "Serve region updates to any number of readers, on unix:PATH or tcp:HOST:PORT. Repeatable.",
    RegionSocketAddress.init(parsing:))
  var addresses: [RegionSocketAddress] = []

  @Option(
    "nmea", "address",
    "Serve fixes as NMEA 0183 on unix:PATH or tcp:HOST:PORT, on a serial port with a link pty:PATH, or send them to "
      + "udp:HOST:PORT. Repeatable.", NMEAAddress.init(parsing:))
  var nmea: [NMEAAddress] = []

  @Flag(help: "Keep NMEA sentences within the standard's 82 characters, for readers that take no longer ones.")
  var nmeaShort = false

  @Option(
    "region-socket-mode", "octal",
    "The mode of Unix sockets and serial ports of locations, regions and NMEA. (default: 660)",
    Bounds.mode)
  var mode = RegionSocket.Configuration().mode

  @Option(
    name: .customLong("region-socket-group"),
    help: ArgumentHelp(
      "The group of Unix sockets and serial ports of locations, regions and NMEA.", valueName: "group"))
  var group: String?

  func checkMachine() throws(SettingError) {
    if let group, Listeners.groupID(group) == nil {
      throw SettingError("region-socket-group '\(group)' is not a group of this machine")
    }
  }
}

extension Region {
  /// Parses a fence, `ID=LAT,LON,RADIUS`, with degrees and metres.
  init(parsing text: String) throws(SettingError) {
    let example = "expected ID=LAT,LON,RADIUS such as home=37.7858,-122.4064,50"
    guard let equals = text.firstIndex(of: "=") else { throw SettingError("'\(text)' has no '='; \(example)") }
    guard equals != text.startIndex else { throw SettingError("'\(text)' has no name before '='; \(example)") }
    let parts = text[text.index(after: equals)...].split(separator: ",", omittingEmptySubsequences: false)
    let numbers = parts.map { Double(decimal: $0) }
    if numbers.count == 3, let bad = zip(parts, numbers).first(where: { $1 == nil })?.0 {
      throw SettingError("'\(bad)' in '\(text)' is not a number; \(example)")
    }
    guard numbers.count == 3, let latitude = numbers[0], let longitude = numbers[1], let radius = numbers[2] else {
      throw SettingError("'\(text)' does not have three numbers after '='; \(example)")
    }
    self.init(
      center: LocationCoordinate2D(latitude: latitude, longitude: longitude), radius: radius,
      identifier: String(text[..<equals]))
    do {
      try check()
    } catch {
      throw SettingError(error.message)
    }
  }
}

extension [Region] {
  func checkNames() throws(SettingError) {
    var names: Set<String> = []
    if let twice = first(where: { !names.insert($0.identifier).inserted }) {
      throw SettingError("fence '\(twice.identifier)' is given twice; give each fence a name of its own")
    }
  }
}

struct GPSDOptions: ParsableArguments {
  @Option(
    "gpsd", "host:port[:device]", "Where gpsd listens, and which of its devices to follow. (default: localhost:2947)",
    GPSDEndpoint.init(parsing:))
  var gpsd = GPSDEndpoint()
}

struct RecordOptions: ParsableArguments {
  @Option(
    "record", "path",
    "Keep everything that gpsd says in this file, line by line with its time of arrival, for replay, track and monitor.",
    Bounds.path)
  var path: String?

  @Option(
    "record-limit", "size",
    "The greatest size of the record and its older pieces together, with K, M or G; then the oldest are removed. (default: 64M)",
    Bounds.recordLimit)
  var limit = 64 << 20
}
