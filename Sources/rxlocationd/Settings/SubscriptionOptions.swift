import ArgumentParser
import Collecting
import Platform
import Publishing

/// The broker of `collect`.
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

/// The broker of `collect` and its credentials.
@dynamicMemberLookup
struct SubscriptionSettings {
  typealias Session = SessionOptions<SubscriptionOptions.Purpose>

  static let groups: [any ParsableArguments.Type] = [SubscriptionOptions.self, Session.self]

  var options: SubscriptionOptions
  var session: Session

  subscript<Value>(dynamicMember path: KeyPath<SubscriptionOptions, Value>) -> Value { options[keyPath: path] }

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
