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
    }
  }
}
