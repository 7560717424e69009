import CMosquitto

/// Why a broker or a server does not take a message.
struct MessageRefusal: Sendable, Hashable {
  /// In MQTT's or HTTP's own words, such as "Not authorized".
  var text: String
  /// Whether it is about this one message, which will never be taken, and not about what a person can change.
  var isOfThisMessage: Bool

  /// Larger than what the broker takes.
  static let tooLarge = MessageRefusal(mqtt: Int32(MQTT_RC_PACKET_TOO_LARGE.rawValue))

  /// MQTT 5's reason codes from 0x80 on; `nil` for a code that is no refusal.
  init?(reason code: Int32) {
    guard code >= 0x80 else { return nil }
    self.init(mqtt: code)
  }

  private init(mqtt code: Int32) {
    text = String(cString: mosquitto_reason_string(code))
    isOfThisMessage = [MQTT_RC_PACKET_TOO_LARGE, MQTT_RC_PAYLOAD_FORMAT_INVALID].contains {
      Int32($0.rawValue) == code
    }
  }

  init(text: String, isOfThisMessage: Bool) {
    self.text = text
    self.isOfThisMessage = isOfThisMessage
  }
}
