import ArgumentParser
import Collecting
import Platform
import Publishing

/// The broker of `collect` and its credentials.
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

  @OptionGroup var session: SessionOptions<Purpose>

  /// Checks combinations of options.
  func check() throws(SettingError) {
    guard let address else {
      throw SettingError("name the broker to listen to, as in --subscribe mqtts://broker.example.org:8883")
    }
    try session.check([address], hasUser: session.user != nil)
  }

  /// The collector's configuration; `nil` without an address.
  var configuration: Collector.Configuration? {
    guard let address else { return nil }
    let filters = filters.isEmpty ? [TopicFilter("owntracks/+/+")].compactMap(\.self) : filters
    let clientID = session.clientID ?? "rxlocationd-collect-\(hostName)"
    var configuration = Collector.Configuration(
      session: SessionConfiguration(address: address, clientID: clientID), filters: filters, group: group)
    session.configure(&configuration.session, user: session.user, hosts: [address.server.host])
    configuration.deviceLimit = deviceLimit
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

  /// The limit of messages of a device in an hour.
  static let deviceLimit = count(of: "messages", in: 1...1_000_000_000)

  /// The name of a group of collectors.
  static func group(_ text: String) throws(SettingError) -> String {
    let name = try publishingName(text)
    guard !name.contains(where: { "/+#".contains($0) }) else {
      throw SettingError("'\(text)' is not the name of a group; expected a name without /, + and #")
    }
    return name
  }
}
