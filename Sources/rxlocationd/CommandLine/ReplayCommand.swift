import ArgumentParser
import Logging
import NMEA

struct ReplayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Replay NMEA 0183 recordings; - is standard input.")

  @Argument(help: ArgumentHelp("Recordings, played one after the other; - is standard input.", valueName: "file"))
  var files: [String]

  @Option(
    help: ArgumentHelp(
      "How many times the recorded pace, or max for as fast as the machine can. (default: 1)", valueName: "factor"),
    transform: parsed(ReplaySpeed.init(parsing:)))
  var speed: ReplaySpeed?

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
    }
  }
}
