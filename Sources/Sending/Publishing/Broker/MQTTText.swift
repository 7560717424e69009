/// MQTT's rules for texts: topics, user names, client identifiers.
public enum MQTTText {
  /// Whether a broker accepts the text: UTF-8 without control characters and Unicode's noncharacters, in 65,535 bytes
  /// at most.
  public static func isValid(_ text: String) -> Bool {
    text.utf8.count <= 65_535
      && text.unicodeScalars.allSatisfy { scalar in
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0xFDD0...0xFDEF: false
        default: scalar.value & 0xFFFE != 0xFFFE
        }
      }
  }

  /// A topic in quotation marks for a message. The middle of a long topic is left out, because topics have up to 65,535
  /// bytes.
  public static func quoted(_ topic: String) -> String {
    let scalars = topic.unicodeScalars
    guard scalars.count > 200 else { return "'\(topic)'" }
    return "'\(String(scalars.prefix(100)))…\(String(scalars.suffix(30)))' (\(topic.utf8.count) bytes)"
  }
}
