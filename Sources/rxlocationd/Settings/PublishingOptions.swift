import ArgumentParser
import Glibc
import Publishing

/// Where positions are published to, for `run`, `replay` and `doctor`.
struct PublishingOptions: ParsableArguments {
  @Option(
    name: .customLong("publish"),
    help: ArgumentHelp(
      "Publish to this MQTT broker as OwnTracks does; mqtts is MQTT over TLS.", valueName: "mqtt[s]://host[:port]"),
    transform: parsed(BrokerAddress.init(parsing:)))
  var broker: BrokerAddress?

  @Option(
    name: .customLong("publish-topic"),
    help: ArgumentHelp("The topic. (default: owntracks/USER/HOST)", valueName: "topic"),
    transform: parsed(Bounds.topic))
  var topic: String?

  @Option(name: .customLong("publish-user"), help: ArgumentHelp("Who this is to the broker.", valueName: "name"))
  var user: String?

  @Option(
    name: .customLong("publish-password-file"),
    help: ArgumentHelp(
      "The file whose first line is the password. (default: systemd's credential publish-password)", valueName: "path"),
    transform: parsed(Bounds.path))
  var passwordFile: String?

  @Option(
    name: .customLong("publish-ca"),
    help: ArgumentHelp(
      "A PEM file of the authorities that vouch for the broker. (default: the system's)", valueName: "path"),
    transform: parsed(Bounds.path))
  var authorities: String?

  @Option(
    name: .customLong("publish-certificate"),
    help: ArgumentHelp("A PEM file with this client's certificate.", valueName: "path"), transform: parsed(Bounds.path))
  var certificate: String?

  @Option(
    name: .customLong("publish-key"),
    help: ArgumentHelp("A PEM file with the certificate's private key.", valueName: "path"),
    transform: parsed(Bounds.path))
  var key: String?

  @Option(
    name: .customLong("publish-client-id"),
    help: ArgumentHelp("The MQTT client identifier. (default: made of the topic)", valueName: "name"))
  var clientID: String?

  @Option(
    name: .customLong("publish-interval"),
    help: ArgumentHelp(
      "Send one location at most in so long, the last one. Crossings go at once.", valueName: "seconds"),
    transform: parsed(Bounds.publishingTime))
  var interval: Double?

  @Option(
    name: .customLong("publish-heartbeat"),
    help: ArgumentHelp("Send the last location again when nothing was sent for so long.", valueName: "seconds"),
    transform: parsed(Bounds.publishingTime))
  var heartbeat: Double?

  @Option(
    name: .customLong("publish-tid"),
    help: ArgumentHelp("Two characters that a map shows for this device.", valueName: "id"),
    transform: parsed(Bounds.trackerID))
  var trackerID: String?

  /// Compares what only the whole can show.
  func check() throws(SettingError) {
    guard let broker else { return }
    if (certificate == nil) != (key == nil) {
      throw SettingError("a client's certificate has two files; give both publish-certificate and publish-key")
    }
    if !broker.usesTLS && (authorities != nil || certificate != nil) {
      throw SettingError("certificates are for TLS; publish to mqtts://\(broker.hostAndPort), or leave them out")
    }
    if user == nil && passwordFile != nil {
      throw SettingError("a password belongs to a user; give publish-user as well, or leave publish-password-file out")
    }
    if let passwordFile, access(passwordFile, R_OK) != 0 {
      throw SettingError("publish-password-file \(passwordFile): \(String(cString: strerror(errno)))")
    }
  }

  /// What the publisher is to do; `nil` without a broker.
  var configuration: PublisherConfiguration? {
    guard let broker else { return nil }
    var configuration = PublisherConfiguration(
      address: broker, topic: topic ?? "owntracks/\(Self.level(user ?? Self.login))/\(Self.level(Self.host))",
      clientID: clientID)
    configuration.user = user
    configuration.passwordFile = user == nil ? nil : passwordFile ?? Self.credential
    configuration.authorities = authorities
    configuration.certificate = certificate
    configuration.key = key
    configuration.interval = interval
    configuration.heartbeat = heartbeat
    configuration.trackerID = trackerID
    return configuration
  }

  /// The password that systemd keeps for this service (LoadCredential=).
  private static var credential: String? {
    guard let folder = getenv("CREDENTIALS_DIRECTORY").map({ String(cString: $0) }) else { return nil }
    let path = folder + "/publish-password"
    return access(path, R_OK) == 0 ? path : nil
  }

  private static var login: String {
    for name in ["LOGNAME", "USER"] {
      if let value = getenv(name), value.pointee != 0 { return String(cString: value) }
    }
    return getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(getuid())"
  }

  /// The host's name without its domain.
  private static var host: String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0, name[0] != 0 else { return "localhost" }
    return String(
      decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
  }

  /// A name as one level of a topic, in which '/', '+' and '#' mean something else.
  private static func level(_ name: String) -> String {
    String(name.map { "/+#".contains($0) ? "-" : $0 })
  }
}
