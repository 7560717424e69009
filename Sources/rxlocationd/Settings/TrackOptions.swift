import ArgumentParser
import FoundationEssentials
import Glibc
import LocationKit
import Records
import TrackDocuments
import Tracks

/// What a run of `track` reads and writes; these flags are on the command line only.
struct TrackOptions: ParsableArguments {
  /// The content of each file when there are several.
  enum Split: String, ExpressibleByArgument, CaseIterable {
    case day, trip
  }

  @Option(help: "The format: text, json, gpx, kml, geojson, csv, svg or html.")
  var format = TrackFormat.text

  @Option("device", "user/device", "Read the fixes of this device from a journal of many devices.", Bounds.device)
  var device: String?

  @Option("output", "path", "Write to this file instead of standard output; it is replaced as a whole.", Bounds.path)
  var output: String?

  @Option(
    help: "Write a file for each day or trip; {} in the name of --output becomes the day, or the day and a number.")
  var split: Split?

  @Option("since", "time", "Leave out fixes before this time, such as 2026-05-06 or 2026-05-06T18:30:00Z.", Bounds.time)
  var since: Date?

  @Option("until", "time", "Leave out fixes from this time on.", Bounds.time)
  var until: Date?

  @Flag(help: "Show what the receiver said, with nothing held or left out: of the record of gpsd, or of the files.")
  var raw = false

  @Flag(help: "Show no progress on a terminal, and no hint.")
  var quiet = false

  func check(_ reading: TrackReadingOptions) throws(SettingError) {
    if split != nil && output?.contains("{}") != true {
      throw SettingError("--split needs --output with {} in the name, such as --output 'drive-{}.gpx'")
    }
    if split == nil && output?.contains("{}") == true {
      throw SettingError("{} in the name of --output needs --split day or --split trip")
    }
    if device != nil && reading.journal == nil {
      throw SettingError("--device is one of a journal; name the journal with --journal")
    }
    if case .database = reading.journal, device == nil {
      throw SettingError("a database has many devices; name one with --device, or list them with collect --list")
    }
    if let since, let until, since >= until { throw SettingError("--since has to be before --until") }
  }
}

struct TrackReadingOptions: ParsableArguments {
  @Option(
    "journal", "path",
    "Read the fixes of this journal, a file or postgresql://[USER@]HOST/DATABASE, after those of the files.",
    JournalPlace.init(parsing:))
  var journal: JournalPlace?

  @Option("journal-password-file", "path", DatabasePassword.help, DatabasePassword.init(parsing:))
  var database = DatabasePassword()

  @Option("record", "path", "With --raw, read this record of gpsd and its older pieces after the files.", Bounds.path)
  var record: String?

  @Option("stop-after", "seconds", "The least duration of a stop at one place. (default: 300)", Bounds.stopAfter)
  var stopAfter: Double?

  @Option(
    "stop-within", "metres", "How far the fixes of a stop may lie apart, beyond their accuracy. (default: 50)",
    Bounds.stopWithin)
  var stopWithin: Double?

  @Option(
    "gap-after", "seconds",
    "Leave out the way between two fixes that are this long apart. (default: ten times the pace, at least 300)",
    Bounds.gapAfter)
  var gapAfter: Double?

  @Option(
    "max-speed", "metres/second", "Leave out jumps: fixes that can be reached only at this speed or faster.",
    Bounds.maximumSpeed)
  var maxSpeed: Double?

  @Option("simplify", "metres", "Leave out fixes that lie this near to the line through the others.", Bounds.simplify)
  var simplify: Double?

  @Option(
    "time-zone", "zone",
    "The zone of days and of times for a person, such as Europe/Berlin; local is this machine's. (default: local)",
    TimeZoneOption.init(parsing:))
  var timeZone: TimeZoneOption?

  @Option(help: "The units of text, svg, html and the page: metric, imperial or nautical. (default: by the locale)")
  var units: MeasurementUnits?

  @Option(help: "How text and html write places: degrees, minutes or grid, the Maidenhead locator. (default: degrees)")
  var coordinates = CoordinateFormat.degrees

  var settings: TrackSettings {
    var settings = TrackSettings()
    if let stopAfter { settings.stopAfter = stopAfter }
    if let stopWithin { settings.stopWithin = stopWithin }
    return settings
  }
}

extension TrackFormat: ExpressibleByArgument {}

extension Bounds {
  static let stopAfter = number(in: 1...86_400, unit: "seconds")
  static let gapAfter = number(in: 1...31_536_000, unit: "seconds")
  static let stopWithin = number(in: 0...100_000, unit: "metres")
  static let maximumSpeed = number(in: 0.1...10_000, unit: "metres per second")
  /// A device's name, as in the member `device` of records.
  static func device(_ text: String) throws(SettingError) -> String {
    guard !text.isEmpty, Arguments.isText(text) else {
      throw SettingError("'\(text)' is not a device; expected one such as ann/car, as collect --list shows them")
    }
    return text
  }

  static let simplify = number(in: 0...100_000, unit: "metres")

  /// A day, or a moment with its offset from UTC, in ISO 8601.
  static func time(_ text: String) throws(SettingError) -> Date {
    let whole = text.contains("T") ? text : text + "T00:00:00Z"
    guard let time = Date(timestamp: whole) else {
      throw SettingError("'\(text)' is not a time; expected one such as 2026-05-06 or 2026-05-06T18:30:00Z, in UTC")
    }
    return time
  }
}

/// A zone of the system's time zone database.
///
/// The C library supports one zone at a time, that of TZ, for the whole process. `track` sets it once before it starts,
/// and nothing else in the process uses local times, so no calendar library is needed.
struct TimeZoneOption: Equatable {
  /// A name such as "Europe/Berlin"; "local" is this machine's zone.
  var name: String

  private static let folder = "/usr/share/zoneinfo/"

  static let local = TimeZoneOption(name: "local")

  private init(name: String) { self.name = name }

  init(parsing text: String) throws(SettingError) {
    name = text
    guard text != "local", text != "UTC" else { return }
    let isName = !text.isEmpty && !text.hasPrefix("/") && !text.split(separator: "/").contains("..")
    guard isName, Self.isZone(Self.folder + text) else {
      let hint =
        access(Self.folder, R_OK) == 0 ? "; zones are named as in \(Self.folder)" : "; the package tzdata has them"
      throw SettingError("'\(text)' is not a time zone of this machine\(hint)")
    }
  }

  /// Sets the process's time zone. Must be called before other threads may read the environment.
  func apply() -> TrackTimeZone {
    if name != "local" { setenv("TZ", name, 1) }
    tzset()
    return TrackTimeZone { time in
      var seconds = time_t(time.timeIntervalSince1970.rounded(.down))
      var local = tm()
      guard localtime_r(&seconds, &local) != nil else { return (0, "UTC") }
      return (local.tm_gmtoff, local.tm_zone.map { String(cString: $0) } ?? "")
    }
  }

  private static func isZone(_ path: String) -> Bool {
    FileManager.default.contents(atPath: path)?.starts(with: "TZif".utf8) ?? false
  }
}
