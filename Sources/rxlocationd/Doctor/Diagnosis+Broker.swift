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
      self.init(step: "broker", .ok, "\(address) lets this client in")
    case .messageAccepted(let topic):
      self.init(step: "broker topic", .ok, "\(address) takes messages on \(MQTTText.quoted(topic))")
    case .unconfirmed(let topic):
      self.init(
        step: "broker topic", .warning,
        "\(address) speaks MQTT 3.1.1, which has no word for a message that is refused on \(MQTTText.quoted(topic))",
        hint: "look at the broker's log and its access list")
    case .readBack(let topic, let isRetained):
      self.init(
        step: "broker retained", .ok,
        isRetained
          ? "\(address) keeps a message on \(MQTTText.quoted(topic))"
          : "\(address) keeps no message on \(MQTTText.quoted(topic)) yet")
    case .notRead(let topic):
      self.init(
        step: "broker retained", .ok,
        "not checked, for this client may not read \(MQTTText.quoted(topic)), and need not")
    case .sends(let topics):
      self.init(step: "broker topic", .ok, "\(address) sends this client what comes on \(topics)")
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
    case .unreachable:
      (
        "broker connection",
        "start the broker, and let it listen beyond loopback; where this service's sandbox forbids it, see IPAddressAllow= "
          + "in \(unit)"
      )
    case .tls:
      (
        "broker TLS",
        "renew a certificate that has expired; name its authority with \(flag)-ca, and the broker by a name that it is for; "
          + "mqtt:// is without TLS"
      )
    case .login:
      ("broker login", "check \(flag)-user and the password's file, and the broker's list of users")
    case .refused:
      ("broker topic", "let the broker's access list allow this user to write to the topic and what is below it")
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
