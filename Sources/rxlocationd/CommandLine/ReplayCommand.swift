import ArgumentParser
import GPSD
import Glibc
import Logging
import NMEA
import Platform
import Replay
import SystemPackage

struct ReplayCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replay recordings of NMEA 0183 or of gpsd, plain or gzipped; - is standard input.")
  static let fileOptions: [any ParsableArguments.Type] = [ReplayOptions.self] + Settings.groups

  @Argument(
    help: ArgumentHelp("Recordings, played one after the other; - is standard input.", valueName: "file"),
    completion: .file(), transform: parsed(Bounds.file))
  var files: [FilePath]

  @OptionGroup(title: "Playing and fences") var options: ReplayOptions
  @OptionGroup(title: "Playing and fences") var watch: FenceOptions
  @OptionGroup(title: "Settings file") var configurationFile: ConfigurationOptions
  @OptionGroup(title: "Map in a browser") var map: MapOptions
  @OptionGroup(title: "Location stream") var general: GeneralOptions
  @OptionGroup(title: "Files and metrics") var outputs: OutputOptions
  @OptionGroup(title: "Files and metrics") var journalBound: JournalBoundOptions
  @OptionGroup(title: "Sockets for other programs") var sockets: RegionSocketOptions
  @OptionGroup(title: "Brokers and servers") var publishing: PublishingOptions
  @OptionGroup(title: "Brokers and servers") var publishingSession: PublishingSettings.Session
  @OptionGroup(title: "Privacy") var privacy: PrivacyOptions

  var settings: Settings {
    Settings(
      general: general, outputs: outputs, sockets: sockets,
      publishing: PublishingSettings(options: publishing, session: publishingSession), map: map, privacy: privacy,
      journalBound: journalBound, watch: watch)
  }

  @MainActor mutating func readFences(again: Bool) async throws(CommandError) { try await watch.readFile(again: again) }

  @MainActor
  func run() async throws {
    try await reportingErrors {
      let configuration = Configuration(of: self)
      let command = try await configuration.read()
      let (options, settings) = (command.options, command.settings)
      let logger = Logger.standardError(settings.logLevel)
      try files.checkStandardInput()
      let source = try Recordings.open(
        files, speed: options.speed ?? .factor(1), loop: options.loop, strict: options.strict)
      (source as? GPSDRecording)?.onLog = { logger.log(level: $0.level, "\($1)") }
      let progress =
        options.speed == .max && !options.quiet
          && (settings.format == .none || !StandardStreams.mayAppear(STDOUT_FILENO))
        ? ProgressLine(total: source.byteCount) { source.bytesRead } : nil
      defer { progress?.finish() }
      let name = files.map { $0 == "-" ? "standard input" : $0.string }.joined(separator: ", ")
      let control = settings.map.address == nil ? nil : source.makeControl()
      // A person may still look at the page.
      let stays = settings.map.address != nil && isatty(STDERR_FILENO) == 1
      try await Daemon(name: name, isReplay: true, file: configuration.path, logger: logger) { end in
        ReceiverFeed(
          source: source, name: name, settings: settings, logger: logger, earliestDate: source.earliestDate,
          readSettings: configuration.settingsAgain, replay: control
        ) {
          guard stays, source.failure == nil else { return end() }
          progress?.finish()
          logger.notice("the replay is over; the map page shows it until Ctrl-C")
        }
      }.runUntilSignalled()
      progress?.finish()
      if let summary = source.summary { logger.info("\(summary)") }
      if let failure = source.failure { throw CommandError(failure) }
    }
  }
}

extension CommandError {
  init(_ error: ReplayError) {
    switch error.reason {
    case .notFound, .notReadable, .isDirectory, .empty: self.init(.noInput, error.description)
    case .compressed(let tool):
      self.init(.dataError, "\(error.input): is compressed; try: \(tool) \(error.input) | rxlocationd replay -")
    case .noSentences:
      self.init(.dataError, "\(error) GPX, KML, GeoJSON, CSV and JSON lines are for rxlocationd track")
    case .encoding, .badLines, .badGzip: self.init(.dataError, error.description)
    case .notRepeatable: self.init(.usage, error.description)
    case .readFailed: self.init(.ioError, error.description)
    }
  }
}

extension NMEAStatistics {
  var summary: String {
    let kinds = [
      (checksum, "wrong checksum"), (malformed, "malformed"), (outOfRange, "out of range"),
      (unsupported, "unsupported"),
    ]
    let parts = kinds.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return (["\(counted(locations, "location")) from \(counted(sentences, "sentence"))"] + parts).joined(
      separator: ", ")
  }
}

struct ReplayOptions: ParsableArguments {
  @Option(
    "speed", "factor", "A multiple of the recorded pace, or max for as fast as possible. (default: 1)",
    ReplaySpeed.init(parsing:))
  var speed: ReplaySpeed?

  @Flag(help: "Begin again at the end of the last recording.")
  var loop = false

  @Flag(help: "Name the bad lines, print nothing after the first, and end with status 65.")
  var strict = false

  @Flag(help: "Show no progress line; --speed max has one on a terminal.")
  var quiet = false
}

extension ReplaySpeed {
  init(parsing text: String) throws(SettingError) {
    if text == "max" {
      self = .max
    } else if let factor = Double(decimal: text), factor > 0 {
      self = .factor(factor)
    } else {
      throw SettingError("'\(text)' is not a speed; expected 'max' or a factor above 0 such as 1, 2.5 or 100")
    }
  }
}
