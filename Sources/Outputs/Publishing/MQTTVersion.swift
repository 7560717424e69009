/// The versions of MQTT that are spoken.
enum MQTTVersion: Int32, Sendable {
  /// The one that every broker speaks; it has no word for a message that the broker refuses.
  case v311 = 4
  /// The one that has.
  case v5 = 5
}
