import ArgumentParser
import Glibc
import Platform
import Publishing

/// The word that begins the names of a session's flags.
protocol SessionPurpose {
  static var name: String { get }
}

/// The credentials of sessions with brokers and servers.
struct SessionOptions<Purpose: SessionPurpose>: ParsableArguments {
  @Option(Purpose.name + "-user", "name", "The user name at the broker.", Bounds.publishingName)
  var user: String?

  @Option(
    Purpose.name + "-password-file", "[host=]path",
    "The file whose first line is the password. (default: systemd's credential \(Purpose.name)-password)", Bounds.path)
  var passwordFiles: [String] = []

  @Option(
    Purpose.name + "-ca", "[host=]path",
    "A PEM file of the certificate authorities for the broker or the server. (default: the system's)", Bounds.path)
  var authorities: [String] = []

  @Option(Purpose.name + "-certificate", "[host=]path", "A PEM file with this client's certificate.", Bounds.path)
  var certificates: [String] = []

  @Option(Purpose.name + "-key", "[host=]path", "A PEM file with the certificate's private key.", Bounds.path)
  var keys: [String] = []

  @Option(
    Purpose.name + "-encryption-key", "path",
    "The file whose first line is the secret that encrypts messages. (default: systemd's credential "
      + "\(Purpose.name)-encryption-key)", Bounds.path)
  var encryptionKeyFile: String?

  @Option(
    Purpose.name + "-client-id", "name",
    "The MQTT client identifier, which no other client may have. (default: made of the topic or the host)",
    Bounds.publishingName)
  var clientID: String?

  var encryptionKey: String? { encryptionKeyFile ?? credential("\(Purpose.name)-encryption-key") }

  func check(_ addresses: [PublishingAddress], hasUser: Bool) throws(SettingError) {
    let hosts = addresses.map(\.server.host)
    let (certificates, keys) = (HostFiles(certificates, hosts: hosts), HostFiles(keys, hosts: hosts))
    for address in addresses where address.usesTLS {
      let host = address.server.host
      if (certificates[host] == nil) != (keys[host] == nil) {
        throw SettingError(
          "a client's certificate has two files; give both \(Purpose.name)-certificate and \(Purpose.name)-key")
      }
    }
    if let first = addresses.first, !addresses.contains(where: \.usesTLS),
      !(authorities + certificates.all + keys.all).isEmpty
    {
      throw SettingError("certificates are for TLS; \(Purpose.name) to \(first.withTLS), or leave them out")
    }
    if !hasUser && !passwordFiles.isEmpty {
      throw SettingError(
        "a password belongs to a user; give \(Purpose.name)-user as well, or leave \(Purpose.name)-password-file out")
    }
  }

  /// Sets the credentials of a session with one of `hosts`.
  ///
  /// - Parameter isOnlyUser: Whether no other session has a user. A password that is not bound to a host is sent to one
  ///   host only.
  func configure(_ session: inout SessionConfiguration, user: String?, hosts: [String], isOnlyUser: Bool = true) {
    let host = session.address.server.host
    func file(_ values: [String]) -> String? { HostFiles(values, hosts: hosts)[host] }
    session.user = user
    if user != nil {
      session.passwordFile = file(passwordFiles) ?? credential("\(Purpose.name)-password-\(host)")
      if isOnlyUser { session.passwordFile = session.passwordFile ?? credential("\(Purpose.name)-password") }
    }
    session.encryptionKeyFile = encryptionKey
    session.authorities = file(authorities)
    session.certificate = file(certificates)
    session.key = file(keys)
  }
}

/// The file of a secret from systemd's LoadCredential=.
func credential(_ name: String) -> String? {
  guard let folder = getenv("CREDENTIALS_DIRECTORY").map({ String(cString: $0) }) else { return nil }
  let path = "\(folder)/\(name)"
  return access(path, R_OK) == 0 ? path : nil
}

/// The host's name without its domain.
var hostName: String {
  var name = [CChar](repeating: 0, count: 256)
  guard gethostname(&name, name.count - 1) == 0, name[0] != 0 else { return "localhost" }
  return String(
    decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
}

/// Files of a setting, each for one host, as in `example.org=/etc/car.password`, or for every host without its own file.
struct HostFiles {
  /// The files for hosts without their own file.
  private(set) var general: [String] = []
  private var ofHosts: [String: [String]] = [:]

  /// Parses the values of a flag; `hosts` are the valid host names.
  init(_ values: [String], hosts: [String]) {
    for value in values {
      let host = String(value.prefix { $0 != "=" })
      if host.count < value.count, hosts.contains(host) {
        ofHosts[host, default: []].append(String(value.dropFirst(host.count + 1)))
      } else {
        general.append(value)
      }
    }
  }

  func check(_ flag: String) throws(SettingError) {
    for (host, files) in ofHosts where files.count > 1 {
      throw SettingError("\(flag) is given twice for \(host)")
    }
    if general.count > 1 { throw SettingError("\(flag) is given twice; say for which host each is, as in HOST=PATH") }
    if all.contains("") { throw SettingError("\(flag): the name of the file is empty") }
  }

  var all: [String] { general + ofHosts.values.joined() }

  subscript(host: String) -> String? { ofHosts[host]?.last ?? general.last }
}
