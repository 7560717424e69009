import CMosquitto

/// Why a broker does not take a message: MQTT 5's reason codes from 0x80 on.
struct MQTTRefusal: Sendable, Hashable {
  /// MQTT 5's reason code.
  var code: Int32

  /// Larger than what the broker takes.
  static let tooLarge = MQTTRefusal(code: Int32(MQTT_RC_PACKET_TOO_LARGE.rawValue))

  /// `nil` for a code that is no refusal.
  init?(reason code: Int32) {
    guard code >= 0x80 else { return nil }
    self.code = code
  }

  private init(code: Int32) { self.code = code }

  /// Whether it is about this one message, which the broker will never take, and not about what a person can change.
  var isOfThisMessage: Bool {
    self == .tooLarge || code == Int32(MQTT_RC_PAYLOAD_FORMAT_INVALID.rawValue)
  }

  /// In MQTT's own words, such as "Not authorized".
  var text: String { String(cString: mosquitto_reason_string(code)) }
}
