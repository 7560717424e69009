import ArgumentParser
import GPSD
import Logging

struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "run", abstract: "Follow gpsd. (default)")

  @OptionGroup var gpsd: GPSDOptions
  @OptionGroup var options: PipelineOptions

  @MainActor
  func run() async throws {
    try await reportingErrors {
      var flags = options.layer
      flags.gpsd = gpsd.gpsd
      let settingsSource = SettingsSource(flags: flags, file: options.config)
      let settings = try settingsSource.read()
      let logger = Logger.standardError(settings.logLevel)
      let source = GPSDSource(endpoint: settings.gpsd)
      source.onLog = { logger.log(level: $0.level, "\($1)") }
      try await Daemon(
        source: source, name: settings.gpsd.description, settingsSource: settingsSource, settings: settings,
        isReplay: false, logger: logger
      ).runUntilSignalled()
    }
  }
}

extension GPSDLogLevel {
  /// swift-log's level of the same name.
  var level: Logger.Level {
    switch self {
    case .debug: .debug
    case .info: .info
    case .notice: .notice
    case .warning: .warning
    }
  }
}
