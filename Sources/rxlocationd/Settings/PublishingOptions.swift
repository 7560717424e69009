import ArgumentParser
import Glibc
import Platform
import Publishing
import SystemPackage

/// The addresses and credentials of publishing, for `run`, `replay` and `doctor`.
struct PublishingOptions: ParsableArguments {
  @Option(
    "publish", "url",
    "Publish as OwnTracks does: to the MQTT broker mqtt[s]://HOST[:PORT], or to the server http[s]://[USER@]HOST[:PORT]/PATH. "
      + "Repeatable.",
    PublishingAddress.init(parsing:))
  var addresses: [PublishingAddress] = []

  @Option("publish-topic", "topic", "The topic. (default: owntracks/USER/HOST)", Bounds.topic)
  var topic: String?

  @Option("publish-user", "name", "Who this is to the broker.", Bounds.publishingName)
  var user: String?

  @Option(
    "publish-password-file", "[host=]path",
    "The file whose first line is the password. (default: systemd's credential publish-password)", Bounds.path)
  var passwordFiles: [String] = []

  @Option(
    "publish-ca", "[host=]path",
    "A PEM file of the authorities that vouch for the broker or the server. (default: the system's)", Bounds.path)
  var authorities: [String] = []

  @Option("publish-certificate", "[host=]path", "A PEM file with this client's certificate.", Bounds.path)
  var certificates: [String] = []

  @Option("publish-key", "[host=]path", "A PEM file with the certificate's private key.", Bounds.path)
  var keys: [String] = []

  @Option(
    "publish-encryption-key", "path",
    "The file whose first line is the secret that encrypts messages. (default: systemd's credential "
      + "publish-encryption-key)", Bounds.path)
  var encryptionKeyFile: String?

  @Option(
    "publish-client-id", "name", "The MQTT client identifier. (default: made of the topic)", Bounds.publishingName)
  var clientID: String?

  @Option(
    "publish-interval", "seconds", "Send one location at most in so long, the last one. Crossings go at once.",
    Bounds.publishingTime)
  var interval: Double?

  @Option(
    "publish-heartbeat", "seconds",
    "Send the last location again, or that there is none, when nothing was sent for so long.",
    Bounds.publishingTime)
  var heartbeat: Double?

  @Option("publish-tid", "id", "Two characters that a map shows for this device.", Bounds.trackerID)
  var trackerID: String?

  @Option("publish-card-name", "name", "The name that maps show for this device.", Bounds.publishingName)
  var cardName: String?

  @Option("publish-card-picture", "path", "The PNG file of the picture that maps show for this device.", Bounds.path)
  var cardPicture: String?

  @Flag(
    name: .customLong("publish-discovery"),
    help: "Announce the device, its speed and its fences to Home Assistant by MQTT discovery.")
  var discovery = false

  @Flag(
    name: .customLong("publish-commands"),
    help: "Obey OwnTracks' commands on TOPIC/cmd: reportLocation, status, waypoints and setWaypoints.")
  var commands = false

  private func files(_ values: [String]) -> HostFiles { HostFiles(values, hosts: addresses.map(\.server.host)) }

  /// The user at `address`.
  private func user(at address: PublishingAddress) -> String? {
    address.peer == .broker ? user : address.user
  }

  /// The hosts that require a user.
  private var hostsWithUsers: Set<String> {
    Set(addresses.filter { user(at: $0) != nil }.map(\.server.host))
  }

  /// Checks combinations of options.
  func check() throws(SettingError) {
    guard let first = addresses.first else {
      return try SettingError.refuse(
        [
          "publish-topic": topic != nil, "publish-user": user != nil, "publish-password-file": !passwordFiles.isEmpty,
          "publish-ca": !authorities.isEmpty, "publish-certificate": !certificates.isEmpty,
          "publish-key": !keys.isEmpty, "publish-encryption-key": encryptionKeyFile != nil,
          "publish-client-id": clientID != nil, "publish-interval": interval != nil,
          "publish-heartbeat": heartbeat != nil, "publish-tid": trackerID != nil,
          "publish-card-name": cardName != nil,
          "publish-card-picture": cardPicture != nil, "publish-discovery": discovery,
          "publish-commands": commands,
        ], for: "a broker", without: "publish")
    }
    if Set(addresses).count < addresses.count { throw SettingError("publish has one address twice") }
    for (flag, values) in [
      ("publish-password-file", passwordFiles), ("publish-ca", authorities), ("publish-certificate", certificates),
      ("publish-key", keys),
    ] { try files(values).check(flag) }
    for address in addresses where address.usesTLS {
      let host = address.server.host
      if (files(certificates)[host] == nil) != (files(keys)[host] == nil) {
        throw SettingError("a client's certificate has two files; give both publish-certificate and publish-key")
      }
    }
    if !addresses.contains(where: \.usesTLS) && !(authorities + certificates + keys).isEmpty {
      throw SettingError("certificates are for TLS; publish to \(first.withTLS), or leave them out")
    }
    if !addresses.contains(where: { $0.peer == .broker }) {
      if let user {
        throw SettingError(
          "publish-user is for a broker; a server's user is in its address: publish https://\(user)@\(first.server.host)"
        )
      }
      try SettingError.refuse(
        [
          "publish-client-id": clientID != nil, "publish-card-name": cardName != nil,
          "publish-card-picture": cardPicture != nil, "publish-discovery": discovery, "publish-commands": commands,
        ], for: "a broker", without: "publish mqtt[s]://HOST")
    }
    if discovery && encryptionKey != nil {
      throw SettingError(
        "Home Assistant's discovery reads no encrypted messages; leave publish-discovery or publish-encryption-key out")
    }
    _ = try card()
    if let encryptionKeyFile {
      try Self.check(SessionFiles(passwordFile: nil, keyFile: encryptionKeyFile), of: "publish-encryption-key")
    }
    try checkPasswords()
  }

  private func checkPasswords() throws(SettingError) {
    guard !passwordFiles.isEmpty else { return }
    if hostsWithUsers.isEmpty {
      throw SettingError("a password belongs to a user; give publish-user as well, or leave publish-password-file out")
    }
    if hostsWithUsers.count > 1 && !files(passwordFiles).general.isEmpty {
      throw SettingError(
        "publish-password-file: \(hostsWithUsers.sorted().joined(separator: " and ")) each have a user; say whose password "
          + "it is, as in HOST=PATH")
    }
    for passwordFile in files(passwordFiles).all {
      try Self.check(SessionFiles(passwordFile: passwordFile), of: "publish-password-file")
    }
  }

  /// The device's name and picture; `nil` without both.
  func card() throws(SettingError) -> Card? {
    guard cardName != nil || cardPicture != nil else { return nil }
    do throws(BrokerFailure) {
      return Card(
        name: cardName,
        picture: try cardPicture.map { path throws(BrokerFailure) in
          try Card.picture(path, within: Self.patience)
        })
    } catch {
      throw SettingError("publish-card-picture: \(error.reason)")
    }
  }

  private static func check(_ files: SessionFiles, of flag: String) throws(SettingError) {
    var files = files
    do throws(BrokerFailure) {
      try files.read(within: patience, stop: try wakeup())
    } catch {
      throw SettingError("\(flag): \(error.reason)")
    }
  }

  /// Seconds that a file may take at the start.
  private static let patience = 5.0

  private static func wakeup() throws(BrokerFailure) -> Wakeup {
    do throws(Errno) { return try Wakeup() } catch { throw .system("\(error)") }
  }

  /// Checks settings against this machine. The client reads these files again for each session, and would block on a
  /// pipe.
  func checkMachine() throws(SettingError) {
    for (name, values) in [
      ("publish-ca", authorities), ("publish-certificate", certificates), ("publish-key", keys),
    ] {
      for path in files(values).all where Self.isSomethingElse(path) {
        throw SettingError("\(name) \(path): is no regular file")
      }
    }
  }

  /// Whether a path names something other than a regular file. The client waits later for a missing file, or a file
  /// system that does not answer.
  private static func isSomethingElse(_ path: String) -> Bool {
    var look = BlockingWork<Bool>()
    guard let never = try? Wakeup() else { return false }
    let answer = try? look.run(within: 1, wakeup: never) {
      var status = stat()
      return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }
    return answer ?? false
  }

  /// The file of the encryption key.
  private var encryptionKey: String? { encryptionKeyFile ?? Self.credential("publish-encryption-key") }

  /// The configuration of each address.
  var configurations: [PublisherConfiguration] { addresses.map(configuration) }

  private func configuration(_ address: PublishingAddress) -> PublisherConfiguration {
    let user = user(at: address)
    let host = address.server.host
    var configuration = PublisherConfiguration(
      address: address, topic: topic ?? "owntracks/\(Self.level(user ?? Self.login))/\(Self.level(Self.host))",
      clientID: clientID)
    configuration.session.user = user
    if user != nil {
      configuration.session.passwordFile = files(passwordFiles)[host] ?? Self.credential("publish-password-" + host)
      // A password that is not bound to a host is sent to one host only.
      if hostsWithUsers.count == 1 {
        configuration.session.passwordFile = configuration.session.passwordFile ?? Self.credential("publish-password")
      }
    }
    configuration.session.encryptionKeyFile = encryptionKey
    configuration.session.authorities = files(authorities)[host]
    configuration.session.certificate = files(certificates)[host]
    configuration.session.key = files(keys)[host]
    configuration.interval = interval
    configuration.heartbeat = heartbeat
    configuration.trackerID = trackerID
    if address.peer == .broker {
      configuration.announcesToHomeAssistant = discovery
      configuration.takesCommands = commands
    }
    return configuration
  }

  /// The configurations for a replay. They need another identifier, because two clients with one identifier disconnect
  /// each other and the service may be running.
  var replayConfigurations: [PublisherConfiguration] {
    configurations.map { configuration in
      var configuration = configuration
      if clientID == nil { configuration.session.clientID += "-replay-\(getpid())" }
      return configuration
    }
  }

  /// The file of a secret from systemd's LoadCredential=.
  static func credential(_ name: String) -> String? {
    guard let folder = getenv("CREDENTIALS_DIRECTORY").map({ String(cString: $0) }) else { return nil }
    let path = "\(folder)/\(name)"
    return access(path, R_OK) == 0 ? path : nil
  }

  private static var login: String {
    for name in ["LOGNAME", "USER"] {
      if let value = getenv(name), value.pointee != 0 { return String(cString: value) }
    }
    return getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(getuid())"
  }

  /// The host's name without its domain.
  static var host: String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0, name[0] != 0 else { return "localhost" }
    return String(
      decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
  }

  /// The name as one level of a topic, in which '/', '+' and '#' have special meanings.
  private static func level(_ name: String) -> String {
    String(name.map { "/+#".contains($0) || !MQTTText.isValid(String($0)) ? "-" : $0 })
  }
}
