import ArgumentParser
import GPSD
import Logging

struct RunCommand: DaemonCommand {
  static let configuration = CommandConfiguration(commandName: "run", abstract: "Follow gpsd.")
  static let fileOptions: [any ParsableArguments.Type] = [GPSDOptions.self, RecordOptions.self] + Settings.groups

  @OptionGroup var gpsd: GPSDOptions
  @OptionGroup var record: RecordOptions
  @OptionGroup var general: GeneralOptions
  @OptionGroup var outputs: OutputOptions
  @OptionGroup var sockets: RegionSocketOptions
  @OptionGroup var publishing: PublishingOptions
  @OptionGroup var publishingSession: PublishingSettings.Session
  @OptionGroup var map: MapOptions
  @OptionGroup var privacy: PrivacyOptions
  @OptionGroup var journalBound: JournalBoundOptions
  @OptionGroup var watch: WatchOptions
  @OptionGroup var configurationFile: ConfigurationOptions

  var settings: Settings {
    Settings(
      general: general, outputs: outputs, sockets: sockets,
      publishing: PublishingSettings(options: publishing, session: publishingSession), map: map, privacy: privacy,
      journalBound: journalBound, watch: watch)
  }

  @MainActor mutating func readFences(again: Bool) async throws(CommandError) { try await watch.readFile(again: again) }

  func checkMachine() throws(SettingError) { try settings.checkMachine(record: record.path) }

  @MainActor
  func run() async throws {
    try await reportingErrors {
      let configuration = Configuration(of: self)
      let command = try await configuration.read()
      let (endpoint, settings) = (command.gpsd.gpsd, command.settings)
      let logger = Logger.standardError(settings.logLevel)
      let source = GPSDSource(endpoint: endpoint)
      source.onLog = { logger.log(level: $0.level, "\($1)") }
      let name = endpoint.description
      try await Daemon(name: name, isReplay: false, file: configuration.path, logger: logger) { end in
        ReceiverFeed(
          source: source, name: name, settings: settings, logger: logger, earliestDate: RxLocationD.released,
          readSettings: configuration.settingsAgain,
          openRecord: { outputs throws(CommandError) in try RecordOutput(of: source, command.record, outputs) },
          end: end)
      }.runUntilSignalled()
    }
  }
}

extension GPSDLogLevel {
  var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .warning }
}
