import ArgumentParser
import Glibc
import Publishing
import SystemPackage

/// The broker of `collect` and its credentials.
struct SubscriptionOptions: ParsableArguments {
  @Option(
    "subscribe", "url", "Listen to the MQTT broker mqtt[s]://HOST[:PORT].", PublishingAddress.init(parsingBroker:))
  var address: PublishingAddress?

  @Option(
    "topic", "filter",
    "The topics of locations; a device is called by what + and # stand for. Repeatable. (default: owntracks/+/+)",
    Bounds.topicFilter)
  var filters: [TopicFilter] = []

  @Option("share", "group", "Share the messages with other collectors of this group.", Bounds.group)
  var group: String?

  @Option(
    "device-limit", "count", "How many messages of a device are taken in an hour. (default: 1000000)",
    Bounds.deviceLimit)
  var deviceLimit = 1_000_000

  @Option("subscribe-user", "name", "Who this is to the broker.", Bounds.publishingName)
  var user: String?

  @Option(
    "subscribe-password-file", "path",
    "The file whose first line is the password. (default: systemd's credential subscribe-password)", Bounds.path)
  var passwordFile: String?

  @Option(
    "subscribe-ca", "path", "A PEM file of the authorities that vouch for the broker. (default: the system's)",
    Bounds.path)
  var authorities: String?

  @Option("subscribe-certificate", "path", "A PEM file with this client's certificate.", Bounds.path)
  var certificate: String?

  @Option("subscribe-key", "path", "A PEM file with the certificate's private key.", Bounds.path)
  var key: String?

  @Option(
    "subscribe-encryption-key", "path",
    "The file whose first line is the secret that devices encrypt messages with. (default: systemd's credential "
      + "subscribe-encryption-key)", Bounds.path)
  var encryptionKeyFile: String?

  @Option(
    "subscribe-client-id", "name",
    "The MQTT client identifier, by which the broker keeps messages while this is away. (default: made of the host)",
    Bounds.publishingName)
  var clientID: String?

  /// Checks combinations of options.
  func check() throws(SettingError) {
    guard let address else {
      throw SettingError("name the broker to listen to, as in --subscribe mqtts://broker.example.org:8883")
    }
    if (certificate == nil) != (key == nil) {
      throw SettingError("a client's certificate has two files; give both subscribe-certificate and subscribe-key")
    }
    if !address.usesTLS && !(authorities == nil && certificate == nil) {
      throw SettingError("certificates are for TLS; subscribe to mqtts://\(address.server), or leave them out")
    }
    if user == nil && passwordFile != nil {
      throw SettingError("a password needs a user; say subscribe-user, or leave subscribe-password-file out")
    }
  }

  /// The collector's configuration; `nil` without an address.
  var configuration: Collector.Configuration? {
    guard let address else { return nil }
    let filters = filters.isEmpty ? [TopicFilter("owntracks/+/+")].compactMap(\.self) : filters
    var session = SessionConfiguration(
      address: address, clientID: clientID ?? "rxlocationd-collect-\(PublishingOptions.host)")
    session.user = user
    session.passwordFile = user == nil ? nil : passwordFile ?? PublishingOptions.credential("subscribe-password")
    session.encryptionKeyFile = encryptionKeyFile ?? PublishingOptions.credential("subscribe-encryption-key")
    session.authorities = authorities
    session.certificate = certificate
    session.key = key
    var configuration = Collector.Configuration(session: session, filters: filters, group: group)
    configuration.deviceLimit = deviceLimit
    return configuration
  }
}

extension Bounds {
  /// A topic filter.
  static func topicFilter(_ text: String) throws(SettingError) -> TopicFilter {
    guard Arguments.isText(text), let filter = TopicFilter(text) else {
      throw SettingError(
        "\(MQTTText.quoted(text)) is no topic filter; expected one such as owntracks/+/+, where + is a whole level and # "
          + "the last one")
    }
    return filter
  }

  /// The limit of messages of a device in an hour.
  static func deviceLimit(_ text: String) throws(SettingError) -> Int {
    guard let value = Int(text), (1...1_000_000_000).contains(value) else {
      throw SettingError("'\(text)' is no number of messages; expected 1 to 1000000000")
    }
    return value
  }

  /// The name of a group of collectors.
  static func group(_ text: String) throws(SettingError) -> String {
    let name = try publishingName(text)
    guard !name.contains(where: { "/+#".contains($0) }) else {
      throw SettingError("'\(text)' is no group; expected a name without /, + and #")
    }
    return name
  }
}
