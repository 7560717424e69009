import GPSD
import Platform
import Publishing

extension Diagnosis {
  /// Describes a finding about a broker, with a hint.
  ///
  /// - Parameter flag: The flag that names the broker on the command line.
  init(_ finding: BrokerFinding, at address: PublishingAddress, flag: String = "publish") {
    switch finding {
    case .addresses(let count):
      self.init(step: "broker name", .ok, "'\(address.server.host)' has \(counted(count, "address", "addresses"))")
    case .accepted:
      self.init(step: "broker", .ok, "\(address) accepts this client")
    case .messageAccepted(let topic):
      self.init(step: "broker topic", .ok, "\(address) accepts messages on \(MQTTText.quoted(topic))")
    case .unconfirmed(let topic):
      self.init(
        step: "broker topic", .warning,
        "\(address) speaks MQTT 3.1.1, which cannot report that a message on \(MQTTText.quoted(topic)) is refused",
        hint: "look at the broker's log and its access list")
    case .readBack(let topic, let isRetained):
      self.init(
        step: "broker retained", .ok,
        isRetained
          ? "\(address) retains a message on \(MQTTText.quoted(topic))"
          : "\(address) retains no message on \(MQTTText.quoted(topic)) yet")
    case .notRead(let topic):
      self.init(
        step: "broker retained", .ok,
        "not checked: this client may not read \(MQTTText.quoted(topic)), and does not need to")
    case .sends(let topics):
      self.init(step: "broker topic", .ok, "\(address) sends this client the messages on \(topics)")
    case .failed(.refused(let reason)) where flag == "subscribe":
      self.init(
        step: "broker topic", .failure, "\(address): \(reason)",
        hint: "let the broker's access list allow this user to read these topics")
    case .failed(let failure):
      let (step, hint) = Self.step(failure, address, flag: "--" + flag)
      self.init(step: step, .failure, "\(address): \(failure.reason)", hint: hint)
    }
  }

  private static func step(
    _ failure: BrokerFailure, _ address: PublishingAddress, flag: String
  ) -> (step: String, hint: String?) {
    // `--subscribe` belongs to the other service.
    let unit = flag == "--subscribe" ? "rxlocationd-collect.service" : "rxlocationd.service"
    return switch failure {
    case .noAddress:
      ("broker name", "check the spelling, or name an address: \(flag) mqtt://192.0.2.7")
    case .unreachable where LocalHost.isLocal(address.server.host):
      ("broker connection", LocalHost.installing("mosquitto") + "start the broker: systemctl enable --now mosquitto")
    case .unreachable:
      (
        "broker connection",
        "start the broker, and let it listen beyond loopback; if this service's sandbox forbids the connection, see "
          + "IPAddressAllow= in \(unit)"
      )
    case .tls:
      (
        "broker TLS",
        "renew a certificate that has expired; name its authority with \(flag)-ca, and the broker by a name that it is for; "
          + "mqtt:// does not use TLS"
      )
    case .login:
      ("broker login", "check \(flag)-user and the password's file, and the broker's list of users")
    case .refused:
      ("broker topic", "let the broker's access list allow this user to write to the topic and the topics below it")
    case .takenOver: ("broker", "give each client an identifier of its own: \(flag)-client-id")
    case .noMQTT, .lost:
      (
        "broker",
        address.usesTLS
          ? "check the port; 8883 is usual for TLS"
          : "check the port; 1883 is usual without TLS, and mqtts:// asks for TLS"
      )
    case .file: ("broker", "check the file's path and who may read it")
    case .busy, .wrongAddress, .stopped, .system: ("broker", nil)
    }
  }
}

extension Diagnosis {
  /// Describes a finding about an HTTP server, with a hint.
  init(_ finding: ServerFinding, at address: PublishingAddress) {
    switch finding {
    case .named:
      self.init(step: "server name", .ok, "'\(address.server.host)', or the proxy to it, has an address")
    case .connected:
      self.init(step: "server connection", .ok, "\(address) accepts connections")
    case .secured:
      self.init(step: "server TLS", .ok, "the certificate of \(address) is accepted")
    case .messageAccepted:
      self.init(step: "server answer", .ok, "\(address) accepts this client and a message")
    case .messageRefused(let text):
      self.init(
        step: "server answer", .warning,
        "\(address) accepts this client and refuses a message of type status: \(text)",
        hint: "some servers do not know that type; the daemon reports it if the server refuses a location")
    case .failed(let failure):
      let (step, hint) = Self.step(failure)
      self.init(step: step, .failure, "\(address): \(failure.reason)", hint: hint)
    }
  }

  private static func step(_ failure: BrokerFailure) -> (step: String, hint: String?) {
    switch failure {
    case .noAddress:
      ("server name", "check the spelling, and the proxy in https_proxy and http_proxy if one is set")
    case .unreachable:
      (
        "server connection",
        "check the port, and firewalls between here and there; if this service's sandbox forbids it, see IPAddressAllow= "
          + "in rxlocationd.service"
      )
    case .tls:
      (
        "server TLS",
        "renew a certificate that has expired; name its authority with --publish-ca, and the server by a name that it is for; "
          + "http:// does not use TLS"
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
