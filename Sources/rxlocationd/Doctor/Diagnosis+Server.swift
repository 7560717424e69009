import GPSD
import Platform
import Publishing

extension Diagnosis {
  /// Describes a finding about an HTTP server, with a hint.
  init(_ finding: ServerFinding, at address: PublishingAddress) {
    switch finding {
    case .named:
      self.init(step: "server name", .ok, "'\(address.server.host)', or the proxy on the way there, has an address")
    case .connected:
      self.init(step: "server connection", .ok, "\(address) accepts connections")
    case .secured:
      self.init(step: "server TLS", .ok, "the certificate of \(address) is accepted")
    case .messageAccepted:
      self.init(step: "server answer", .ok, "\(address) lets this client in and takes a message")
    case .messageRefused(let text):
      self.init(
        step: "server answer", .warning,
        "\(address) lets this client in and does not take a message of type status: \(text)",
        hint: "not every server knows that type; the daemon says so when a location is not taken")
    case .failed(let failure):
      let (step, hint) = Self.step(failure)
      self.init(step: step, .failure, "\(address): \(failure.reason)", hint: hint)
    }
  }

  private static func step(_ failure: BrokerFailure) -> (step: String, hint: String?) {
    switch failure {
    case .noAddress:
      ("server name", "check the spelling, and the proxy in https_proxy and http_proxy if there is one")
    case .unreachable:
      (
        "server connection",
        "check the port, and firewalls between here and there; where this service's sandbox forbids it, see IPAddressAllow= "
          + "in rxlocationd.service"
      )
    case .tls:
      (
        "server TLS",
        "renew a certificate that has expired; name its authority with --publish-ca, and the server by a name that it is for; "
          + "http:// is without TLS"
      )
    case .login:
      ("server login", "check the user in the address or --publish-user, and the password's file")
    case .wrongAddress: ("server answer", "check the address, its path too, with the server's manual")
    case .busy: ("server answer", "look at the server's log")
    case .noMQTT, .lost: ("server answer", "check the port, and whether it speaks TLS: https://")
    case .file: ("server", "check the file's path and who may read it")
    case .refused, .takenOver, .stopped, .system: ("server", nil)
    }
  }
}
