import ArgumentParser
import Collecting
import LocationKit
import Logging
import Platform
import Publishing

struct CollectOptions: ParsableArguments {
  @Option(
    help: "The location stream on standard output: ndjson, geojson, csv or none. (default: ndjson)",
    completion: .list(StreamFormat.allCases.filter { $0 != .gpx }.map(\.rawValue)),
    transform: parsed(StreamFormat.init(parsing:)))
  var format: StreamFormat = .ndjson

  @Option(
    "journal", "path", "Keep locations and crossings in this SQLite file, or in postgresql://[USER@]HOST/DATABASE.",
    JournalPlace.init(parsing:))
  var journal: JournalPlace?

  @Option("journal-password-file", "path", DatabasePassword.help, DatabasePassword.init(parsing:))
  var database = DatabasePassword()

  @Option("metrics", "host:port", "Serve metrics to Prometheus at /metrics on this address.", Endpoint.init(listening:))
  var metrics: Endpoint?

  @Option(
    "stale-after", "seconds",
    "Report the location of a device as unknown when none has come for this time. (default: 600)", Bounds.staleAfter)
  var staleAfter = 600.0

  @Option(
    "log-level", "level", "trace, debug, info, notice, warning, error or critical. (default: info)", Bounds.logLevel)
  var logLevel: Logger.Level = .info
}

@dynamicMemberLookup
struct CollectSettings {
  static let groups: [any ParsableArguments.Type] =
    [CollectOptions.self, FenceOptions.self, JournalBoundOptions.self, MapOptions.self]

  var options: CollectOptions
  var watch: FenceOptions
  var journalBound: JournalBoundOptions
  var map: MapOptions

  var fences: [Region] { watch.fences }

  subscript<Value>(dynamicMember path: KeyPath<CollectOptions, Value>) -> Value { options[keyPath: path] }

  static func parse(_ arguments: [String]) throws -> CollectSettings { try CollectCommand.parse(arguments).settings }

  func check() throws(SettingError) {
    guard options.format != .gpx else {
      // A stream cannot go back to the track of another device.
      throw SettingError(
        "gpx is one track, and this follows many devices, whose fixes would be one line; keep them in a journal, and write a "
          + "file for each with rxlocationd track --journal PATH --device USER/DEVICE --format gpx")
    }
    try watch.fences.checkNames()
    try map.check()
    try journalBound.check(options.journal)
  }
}

struct SubscriptionOptions: ParsableArguments {
  enum Purpose: SessionPurpose { static let name = "subscribe" }

  @Option(
    "subscribe", "url", "Listen to the MQTT broker mqtt[s]://HOST[:PORT].", PublishingAddress.init(parsingBroker:))
  var address: PublishingAddress?

  @Option(
    "topic", "filter",
    "The topics of locations; the levels that match + and # name the device. Repeatable. (default: owntracks/+/+)",
    Bounds.topicFilter)
  var filters: [TopicFilter] = []

  @Option("share", "group", "Share the messages with other collectors of this group.", Bounds.group)
  var group: String?

  @Option(
    "device-limit", "count", "The greatest number of messages of a device in an hour. (default: 1000000)",
    Bounds.deviceLimit)
  var deviceLimit = 1_000_000
}

struct SubscriptionSettings {
  typealias Session = SessionOptions<SubscriptionOptions.Purpose>

  static let groups: [any ParsableArguments.Type] = [SubscriptionOptions.self, Session.self]

  var options: SubscriptionOptions
  var session: Session

  func check() throws(SettingError) {
    guard let address = options.address else {
      throw SettingError("name the broker to listen to, as in --subscribe mqtts://broker.example.org:8883")
    }
    try session.check([address], hasUser: session.user != nil)
  }

  var configuration: Collector.Configuration? {
    guard let address = options.address else { return nil }
    let filters = options.filters.isEmpty ? [TopicFilter("owntracks/+/+")].compactMap(\.self) : options.filters
    let clientID = session.clientID ?? "rxlocationd-collect-\(hostName)"
    var configuration = Collector.Configuration(
      session: SessionConfiguration(address: address, clientID: clientID), filters: filters, group: options.group)
    session.configure(&configuration.session, user: session.user, hosts: [address.server.host])
    configuration.deviceLimit = options.deviceLimit
    return configuration
  }
}

extension Bounds {
  static func topicFilter(_ text: String) throws(SettingError) -> TopicFilter {
    guard Arguments.isText(text), let filter = TopicFilter(text) else {
      throw SettingError(
        "\(MQTTText.quoted(text)) is not a topic filter; expected one such as owntracks/+/+, where + is a whole level and # "
          + "the last one")
    }
    return filter
  }

  static let deviceLimit = count(of: "messages", in: 1...1_000_000_000)

  static func group(_ text: String) throws(SettingError) -> String {
    let name = try publishingName(text)
    guard !name.contains(where: { "/+#".contains($0) }) else {
      throw SettingError("'\(text)' is not the name of a group; expected a name without /, + and #")
    }
    return name
  }
}
