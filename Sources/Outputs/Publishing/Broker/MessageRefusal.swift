import CMosquitto

/// The reason why a broker or a server refuses a message.
struct MessageRefusal: Sendable, Hashable {
  /// The reason in MQTT's or HTTP's words, such as "Not authorized".
  var text: String
  /// Whether it concerns only this message, which will never be accepted, and not a setting that an administrator can
  /// change.
  var isOfThisMessage: Bool

  /// The message is larger than the broker accepts.
  static let tooLarge = MessageRefusal(mqtt: Int32(MQTT_RC_PACKET_TOO_LARGE.rawValue))

  /// Creates a refusal from MQTT 5's reason codes from 0x80 on; `nil` for other codes.
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
