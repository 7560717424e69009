import ArgumentParser
import Glibc
import Platform
import Publishing
import SystemPackage

/// Where positions are published to, for `run`, `replay` and `doctor`.
struct PublishingOptions: ParsableArguments {
  @Option(
    "publish", "url",
    "Publish as OwnTracks does: to the MQTT broker mqtt[s]://HOST[:PORT], or to the server http[s]://[USER@]HOST[:PORT]/PATH.",
    PublishingAddress.init(parsing:))
  var address: PublishingAddress?

  @Option("publish-topic", "topic", "The topic. (default: owntracks/USER/HOST)", Bounds.topic)
  var topic: String?

  @Option("publish-user", "name", "Who this is to the broker or the server.", Bounds.publishingName)
  var user: String?

  @Option(
    "publish-password-file", "path",
    "The file whose first line is the password. (default: systemd's credential publish-password)", Bounds.path)
  var passwordFile: String?

  @Option(
    "publish-ca", "path",
    "A PEM file of the authorities that vouch for the broker or the server. (default: the system's)",
    Bounds.path)
  var authorities: String?

  @Option("publish-certificate", "path", "A PEM file with this client's certificate.", Bounds.path)
  var certificate: String?

  @Option("publish-key", "path", "A PEM file with the certificate's private key.", Bounds.path)
  var key: String?

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

  /// Checks combinations of options.
  func check() throws(SettingError) {
    guard let address else {
      return try SettingError.refuse(
        [
          "publish-topic": topic != nil, "publish-user": user != nil, "publish-password-file": passwordFile != nil,
          "publish-ca": authorities != nil, "publish-certificate": certificate != nil, "publish-key": key != nil,
          "publish-encryption-key": encryptionKeyFile != nil,
          "publish-client-id": clientID != nil, "publish-interval": interval != nil,
          "publish-heartbeat": heartbeat != nil, "publish-tid": trackerID != nil,
          "publish-card-name": cardName != nil,
          "publish-card-picture": cardPicture != nil, "publish-discovery": discovery,
          "publish-commands": commands,
        ], for: "a broker", without: "publish")
    }
    if (certificate == nil) != (key == nil) {
      throw SettingError("a client's certificate has two files; give both publish-certificate and publish-key")
    }
    if !address.usesTLS && (authorities != nil || certificate != nil) {
      throw SettingError("certificates are for TLS; publish to \(address.withTLS), or leave them out")
    }
    if case .server = address {
      try SettingError.refuse(
        [
          "publish-client-id": clientID != nil, "publish-card-name": cardName != nil,
          "publish-card-picture": cardPicture != nil, "publish-discovery": discovery, "publish-commands": commands,
        ], for: "a broker", without: "publish mqtt[s]://HOST")
      if let user, user.contains(":") {
        throw SettingError("publish-user '\(user)': HTTP allows no ':' in a user's name")
      }
    }
    if user == nil && address.user == nil && passwordFile != nil {
      throw SettingError("a password belongs to a user; give publish-user as well, or leave publish-password-file out")
    }
    if discovery && configuration?.encryptionKeyFile != nil {
      throw SettingError(
        "Home Assistant's discovery reads no encrypted messages; leave publish-discovery or publish-encryption-key out")
    }
    _ = try card()
    if let passwordFile { try Self.check(SessionFiles(passwordFile: passwordFile), of: "publish-password-file") }
    if let encryptionKeyFile {
      try Self.check(SessionFiles(passwordFile: nil, keyFile: encryptionKeyFile), of: "publish-encryption-key")
    }
  }

  /// How maps show the device; `nil` without a name and a picture.
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

  /// How long a file may take at the start, in seconds.
  private static let patience = 5.0

  private static func wakeup() throws(BrokerFailure) -> Wakeup {
    do throws(Errno) { return try Wakeup() } catch { throw .system("\(error)") }
  }

  /// Checks settings against what is on this machine. The client reads these files anew for each session, and would wait
  /// for a pipe.
  func checkMachine() throws(SettingError) {
    let files = [("publish-ca", authorities), ("publish-certificate", certificate), ("publish-key", key)]
    for case (let name, let path?) in files where Self.isSomethingElse(path) {
      throw SettingError("\(name) \(path): is no regular file")
    }
  }

  /// Whether a path names something that is no regular file. A file that is not there yet is waited for later, and so is a
  /// file system that does not answer.
  private static func isSomethingElse(_ path: String) -> Bool {
    var look = Errand<Bool>()
    guard let never = try? Wakeup() else { return false }
    let answer = try? look.run(within: 1, wakeup: never) {
      var status = stat()
      return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }
    return answer ?? false
  }

  /// What the publisher is to do; `nil` with nothing to publish to.
  var configuration: PublisherConfiguration? {
    guard let address else { return nil }
    let user = address.user ?? user
    var configuration = PublisherConfiguration(
      address: address, topic: topic ?? "owntracks/\(Self.level(user ?? Self.login))/\(Self.level(Self.host))",
      clientID: clientID)
    configuration.user = user
    configuration.passwordFile = user == nil ? nil : passwordFile ?? Self.credential("publish-password")
    configuration.encryptionKeyFile = encryptionKeyFile ?? Self.credential("publish-encryption-key")
    configuration.authorities = authorities
    configuration.certificate = certificate
    configuration.key = key
    configuration.interval = interval
    configuration.heartbeat = heartbeat
    configuration.trackerID = trackerID
    configuration.announcesToHomeAssistant = discovery
    configuration.takesCommands = commands
    return configuration
  }

  /// The same for a replay: two clients of one identifier drive each other out, and the service may be running.
  var replayConfiguration: PublisherConfiguration? {
    var configuration = configuration
    if clientID == nil { configuration?.clientID += "-replay-\(getpid())" }
    return configuration
  }

  /// The file of a secret that systemd keeps for this service (LoadCredential=).
  private static func credential(_ name: String) -> String? {
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
  private static var host: String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0, name[0] != 0 else { return "localhost" }
    return String(
      decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
  }

  /// A name as one level of a topic, in which '/', '+' and '#' mean something else.
  private static func level(_ name: String) -> String {
    String(name.map { "/+#".contains($0) || !MQTTText.isValid(String($0)) ? "-" : $0 })
  }
}
