import CMosquitto

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
