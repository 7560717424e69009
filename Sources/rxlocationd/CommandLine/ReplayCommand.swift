import ArgumentParser
import Logging
import NMEA
import SystemPackage

struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Replay NMEA 0183 recordings; - is standard input.")

  @Argument(help: ArgumentHelp("Recordings, played one after the other; - is standard input.", valueName: "file"))
  var files: [String]

  @Option(
    help: ArgumentHelp(
      "How many times the recorded pace, or max for as fast as the machine can. (default: 1)", valueName: "factor"),
    transform: parsed(NMEASource.Speed.init(parsing:)))
  var speed: NMEASource.Speed?

  @Flag(help: "Begin again at the end of the last recording.")
  var loop = false

  @Flag(help: "Stop at the first bad line with its file, line and reason, status 65.")
  var strict = false

  @OptionGroup var options: PipelineOptions

  @MainActor
  func run() async throws {
    try await reportingErrors {
      let settingsSource = SettingsSource(flags: options.layer, file: options.config)
      let settings = try settingsSource.read()
      let logger = Logger.standardError(settings.logLevel)
      let inputs: [NMEAInput]
      do throws(NMEASourceError) {
        inputs = try NMEASource.open(files.map { FilePath($0) }, loop: loop)
      } catch {
        throw CommandError(error)
      }
      let source = NMEASource(inputs, speed: speed ?? .factor(1), loop: loop, strict: strict)
      try await Daemon(
        source: source, name: files.joined(separator: ", "), settingsSource: settingsSource, settings: settings,
        isReplay: true, logger: logger
      ).runUntilSignalled()
      if source.statistics.lines > 0 { logger.info("\(source.statistics.summary)") }
      if let failure = source.failure { throw CommandError(failure) }
    }
  }
}

extension CommandError {
  init(_ error: NMEASourceError) {
    switch error.reason {
    case .notFound, .notReadable, .isDirectory, .empty: self.init(.noInput, error.description)
    case .compressed(let tool):
      self.init(.dataError, "\(error.input): is compressed; try: \(tool) \(error.input) | rxlocationd replay -")
    case .noSentences, .badLine: self.init(.dataError, error.description)
    case .notRepeatable: self.init(.usage, error.description)
    case .readFailed: self.init(.ioError, error.description)
    }
  }
}

extension NMEAStatistics {
  /// One line for the end of a replay; kinds of bad lines that did not occur are left out.
  var summary: String {
    let kinds = [
      (checksum, "wrong checksum"), (malformed, "malformed"), (outOfRange, "out of range"),
      (unsupported, "unsupported"),
    ]
    let parts = kinds.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return (["\(locations) locations from \(sentences) sentences"] + parts).joined(separator: ", ")
  }
}
