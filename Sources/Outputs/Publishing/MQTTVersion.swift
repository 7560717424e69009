/// The versions of MQTT that are spoken.
enum MQTTVersion: Int32, Sendable {
  /// The one that every broker speaks; it has no word for a message that the broker refuses.
  case v311 = 4
  /// The one that has.
  case v5 = 5
}

/// Which version the next attempt is made in: the newer one, unless the broker has said that it does not speak it.
struct MQTTVersionChoice: Sendable {
  /// The next attempt's.
  private(set) var version = MQTTVersion.v5
  private var isSettled = false

  /// The broker has said that it speaks only the older one.
  mutating func settleOnOlder() {
    version = .v311
    isSettled = true
  }

  /// An attempt has ended, or a session. A broker that says nothing to the newer one may be asked in the older one next, and
  /// the other way round, for it may only have been busy.
  mutating func attemptEnded(inSilence: Bool) {
    guard !isSettled else { return }
    version = inSilence && version == .v5 ? .v311 : .v5
  }
}
