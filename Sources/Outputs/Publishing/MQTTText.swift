import CMosquitto

/// What MQTT takes as a text: a topic, a user's name, a client's identifier.
public enum MQTTText {
  /// Whether a broker takes it: UTF-8 without control characters and without characters that Unicode keeps to itself, in
  /// 65,535 bytes at most.
  public static func isValid(_ text: String) -> Bool {
    guard let length = Int32(exactly: text.utf8.count) else { return false }
    return mosquitto_validate_utf8(text, length) == 0
  }

  /// A topic in quotation marks for a message. The middle of a long one is left out, because topics have up to 65,535 bytes.
  public static func quoted(_ topic: String) -> String {
    let scalars = topic.unicodeScalars
    guard scalars.count > 200 else { return "'\(topic)'" }
    return "'\(String(scalars.prefix(100)))…\(String(scalars.suffix(30)))' (\(topic.utf8.count) bytes)"
  }
}
