/// The supported versions of MQTT.
enum MQTTVersion: Int32, Sendable {
  /// Supported by every broker; the broker cannot report that it refuses a message.
  case v311 = 4
  /// The broker can report that it refuses a message.
  case v5 = 5
}

/// The version for the next attempt: the newer one, unless the broker has reported that it does not support it.
struct MQTTVersionChoice: Sendable {
  /// The version for the next attempt.
  private(set) var version = MQTTVersion.v5
  private var isSettled = false

  /// Called when the broker has reported that it supports only the older version.
  mutating func settleOnOlder() {
    version = .v311
    isSettled = true
  }

  /// Notes the end of an attempt or a session. After silence the next attempt uses the other version, because the
  /// broker may not know this one, or may only have been busy.
  mutating func attemptEnded(inSilence: Bool) {
    guard !isSettled else { return }
    version = inSilence && version == .v5 ? .v311 : .v5
  }
}
