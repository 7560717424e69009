import ArgumentParser
import Collecting
import Journal
import Logging
import Publishing
import Records
import SystemPackage

struct CollectCommand: ConfigurableCommand {
  static let configuration = CommandConfiguration(
    commandName: "collect",
    abstract: "Follow many devices through an MQTT broker.",
    discussion: """
      Receives the messages of phones with the OwnTracks app and of receivers that publish with this program. A message is \
      acknowledged after the journal has committed it.
      """)
  static let fileOptions: [any ParsableArguments.Type] = SubscriptionSettings.groups + CollectSettings.groups

  @OptionGroup var subscription: SubscriptionOptions
  @OptionGroup var session: SubscriptionSettings.Session
  @OptionGroup var options: CollectOptions
  @OptionGroup var watch: FenceOptions
  @OptionGroup var journalBound: JournalBoundOptions
  @OptionGroup var map: MapOptions

  @Flag(help: "Print the newest location of each device in the journal, and end.")
  var list = false

  @OptionGroup var configurationFile: ConfigurationOptions

  var broker: SubscriptionSettings { SubscriptionSettings(options: subscription, session: session) }

  var settings: CollectSettings {
    CollectSettings(options: options, watch: watch, journalBound: journalBound, map: map)
  }

  @MainActor mutating func readFences(again: Bool) async throws(CommandError) { try await watch.readFile(again: again) }

  func check() throws(SettingError) {
    try settings.check()
    if list {
      if options.journal == nil { throw SettingError("the devices are in a journal; say which with --journal") }
      return
    }
    try broker.check()
    if subscription.group != nil && !watch.fences.isEmpty {
      throw SettingError(
        "a fence needs all fixes of a device, and with --share each collector has some of them; leave --share out here, or "
          + "run one more collector without it for fences")
    }
  }

  func checkMachine() throws(SettingError) {
    if list { return }
    var destinations: [Destination] = []
    if options.format != .none { destinations.append(Destination("standard output", file: "-")) }
    if let path = options.journal?.path { destinations.append(Destination("journal", file: path)) }
    if let address = map.address { destinations.append(Destination("map", at: address)) }
    if let address = options.metrics { destinations.append(Destination("metrics", at: address)) }
    try Destination.check(destinations)
  }

  @MainActor
  func run() async throws {
    try await reportingErrors {
      let file = Configuration(of: self)
      let command = try await file.read()
      if list { return try Self.list(command.settings) }
      guard let configuration = command.broker.configuration else { return }
      let logger = Logger.standardError(command.options.logLevel)
      let addresses = configuration.session.address.description
      try await Daemon(name: addresses, isReplay: false, file: file.path, logger: logger) { _ in
        DeviceFeed(configuration, command.settings, logger: logger) { () throws(CommandError) in
          try await file.readAgain().changed
        }
      }.runUntilSignalled()
    }
  }

  private static func list(_ options: CollectSettings) throws(CommandError) {
    guard let place = options.journal, var formatter = options.format.makeFormatter() else { return }
    var buffer = RecordBuffer()
    formatter.appendStart(to: &buffer)
    do throws(JournalError) {
      for location in try options.database.history(at: place).newestLocations() {
        formatter.append(location, to: &buffer)
      }
    } catch {
      throw CommandError(error, isInput: true)
    }
    formatter.appendEnd(to: &buffer)
    try OutputFile().print(buffer)
  }
}
