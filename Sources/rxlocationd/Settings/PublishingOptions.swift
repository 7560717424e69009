import ArgumentParser
import Glibc
import Platform
import Publishing
import SystemPackage

struct PublishingOptions: ParsableArguments {
  enum Purpose: SessionPurpose { static let name = "publish" }

  @Option(
    "publish", "url",
    "Publish as OwnTracks does: to the MQTT broker mqtt[s]://HOST[:PORT], or to the server http[s]://[USER@]HOST[:PORT][/PATH]. "
      + "Repeatable.",
    PublishingAddress.init(parsing:))
  var addresses: [PublishingAddress] = []

  @Option("publish-topic", "topic", "The topic. (default: owntracks/USER/HOST)", Bounds.topic)
  var topic: String?

  @Option(
    "publish-interval", "seconds", "Send at most one location in this time, the last one. Crossings are sent at once.",
    Bounds.publishingTime)
  var interval: Double?

  @Option(
    "publish-heartbeat", "seconds",
    "Send the last location again, or a status without a position, when nothing was sent for this time.",
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
    help: "Execute OwnTracks' commands on TOPIC/cmd: reportLocation, status, waypoints and setWaypoints.")
  var commands = false
}

struct PublishingSettings {
  typealias Session = SessionOptions<PublishingOptions.Purpose>

  static let groups: [any ParsableArguments.Type] = [PublishingOptions.self, Session.self]

  var options: PublishingOptions
  var session: Session

  var addresses: [PublishingAddress] { options.addresses }

  private var hosts: [String] { addresses.map(\.server.host) }

  private func user(at address: PublishingAddress) -> String? { address.peer == .broker ? session.user : address.user }

  private var hostsWithUsers: Set<String> { Set(addresses.filter { user(at: $0) != nil }.map(\.server.host)) }

  func check() throws(SettingError) {
    guard let first = addresses.first else { return }
    if Set(addresses).count < addresses.count { throw SettingError("publish has the same address twice") }
    for (flag, values) in [("publish-password-file", session.passwordFiles)] + certificateFiles {
      try HostFiles(values, hosts: hosts).check(flag)
    }
    if let user = session.user, !addresses.contains(where: { $0.peer == .broker }) {
      throw SettingError(
        "publish-user is for a broker; a server's user is in its address: publish https://\(user)@\(first.server.host)")
    }
    try session.check(addresses, hasUser: !hostsWithUsers.isEmpty)
    if options.discovery && session.encryptionKey != nil {
      throw SettingError(
        "Home Assistant's discovery reads no encrypted messages; leave publish-discovery or publish-encryption-key out")
    }
    _ = try card()
    if let file = session.encryptionKeyFile {
      try Self.check(SessionFiles(passwordFile: nil, keyFile: file), of: "publish-encryption-key")
    }
    let passwords = HostFiles(session.passwordFiles, hosts: hosts)
    if hostsWithUsers.count > 1 && !passwords.general.isEmpty {
      throw SettingError(
        "publish-password-file: \(hostsWithUsers.sorted().joined(separator: " and ")) each have a user; name the host of "
          + "each password, as in HOST=PATH")
    }
    for file in passwords.all { try Self.check(SessionFiles(passwordFile: file), of: "publish-password-file") }
  }

  /// The device's name and picture; `nil` without both.
  func card() throws(SettingError) -> DeviceCard? {
    guard options.cardName != nil || options.cardPicture != nil else { return nil }
    do throws(BrokerFailure) {
      return DeviceCard(
        name: options.cardName,
        picture: try options.cardPicture.map { path throws(BrokerFailure) in
          try DeviceCard.picture(path, within: Self.patience)
        })
    } catch {
      throw SettingError("publish-card-picture: \(error.reason)")
    }
  }

  /// Seconds that a file may take at the start.
  private static let patience = 5.0

  private static func check(_ files: SessionFiles, of flag: String) throws(SettingError) {
    var files = files
    do throws(BrokerFailure) {
      try files.read(within: patience)
    } catch {
      throw SettingError("\(flag): \(error.reason)")
    }
  }

  private var certificateFiles: [(flag: String, values: [String])] {
    [
      ("publish-ca", session.authorities), ("publish-certificate", session.certificates), ("publish-key", session.keys),
    ]
  }

  /// Checks settings against this machine. The client reads these files again for each session, and would block on a pipe.
  func checkMachine() throws(SettingError) {
    for (flag, values) in certificateFiles {
      for path in HostFiles(values, hosts: hosts).all where Self.isSomethingElse(path) {
        throw SettingError("\(flag) \(path): is not a regular file")
      }
    }
  }

  /// Whether a path names something other than a regular file. The client waits later for a missing file, or a file
  /// system that does not answer.
  private static func isSomethingElse(_ path: String) -> Bool {
    var work = BlockingWork<FileType?>()
    let type = try? work.run(within: 1, wakeup: Wakeup()) { (try? Stat(path))?.type }
    return type.map { $0 != .regular } ?? false
  }

  var configurations: [PublisherConfiguration] { addresses.map(configuration) }

  private func configuration(_ address: PublishingAddress) -> PublisherConfiguration {
    let user = user(at: address)
    var configuration = PublisherConfiguration(
      address: address, topic: options.topic ?? "owntracks/\(Self.level(user ?? Self.login))/\(Self.level(hostName))",
      clientID: session.clientID)
    session.configure(&configuration.session, user: user, hosts: hosts, isOnlyUser: hostsWithUsers.count == 1)
    configuration.interval = options.interval
    configuration.heartbeat = options.heartbeat
    configuration.trackerID = options.trackerID
    if address.peer == .broker {
      configuration.announcesToHomeAssistant = options.discovery
      configuration.takesCommands = options.commands
    }
    return configuration
  }

  private static var login: String {
    for name in ["LOGNAME", "USER"] {
      if let value = getenv(name), value.pointee != 0 { return String(cString: value) }
    }
    return getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(getuid())"
  }

  /// The name as one level of a topic, in which '/', '+' and '#' have special meanings.
  private static func level(_ name: String) -> String {
    String(name.map { "/+#".contains($0) || !MQTTText.isValid(String($0)) ? "-" : $0 })
  }
}
