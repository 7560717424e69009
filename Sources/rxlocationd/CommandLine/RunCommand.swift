import ArgumentParser
import GPSD
import Logging

struct RunCommand: DaemonCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Follow gpsd.",
    discussion: "Without flags it follows gpsd on this host and writes each fix as a line to standard output.")
  static let fileOptions: [any ParsableArguments.Type] = [GPSDOptions.self, RecordOptions.self] + Settings.groups

  @OptionGroup(title: "Receiver and fences") var gpsd: GPSDOptions
  @OptionGroup(title: "Receiver and fences") var watch: FenceOptions
  @OptionGroup(title: "Settings file") var configurationFile: ConfigurationOptions
  @OptionGroup(title: "Map in a browser") var map: MapOptions
  @OptionGroup(title: "Location stream") var general: GeneralOptions
  @OptionGroup(title: "Files and metrics") var outputs: OutputOptions
  @OptionGroup(title: "Files and metrics") var journalBound: JournalBoundOptions
  @OptionGroup(title: "Files and metrics") var record: RecordOptions
  @OptionGroup(title: "Sockets for other programs") var sockets: RegionSocketOptions
  @OptionGroup(title: "Brokers and servers") var publishing: PublishingOptions
  @OptionGroup(title: "Brokers and servers") var publishingSession: PublishingSettings.Session
  @OptionGroup(title: "Privacy") var privacy: PrivacyOptions

  /// What the help of `run` ends with; empty for another text.
  static func examples(for help: String) -> String {
    guard help.contains("USAGE: rxlocationd run ") else { return "" }
    return """

      EXAMPLES:
        rxlocationd --map localhost:8080
            Shows the map at http://localhost:8080/ in a browser.
        rxlocationd --fence home=52.5163,13.3777,50 --journal positions.db --format none
            Keeps positions, and when you come home and leave, in a file.
        rxlocationd --config /etc/rxlocationd.conf --publish mqtt://broker.example.org
            Uses the service's settings, and publishes to a broker as well.
      """
  }

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
