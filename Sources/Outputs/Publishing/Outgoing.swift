/// A message for the broker.
struct Outgoing: Equatable {
  /// What an acknowledgement of it means.
  enum Origin: Equatable {
    case row(Int64)
    case announcement(Announcements.Message)
    case heartbeat
  }

  var origin: Origin
  var topic: String
  var payload: [UInt8]
  var isRetained = false

  /// Whether the rest goes on without this message when the broker refuses it so: it will never take it, or it waits in no
  /// journal and must not hold up what does.
  func isLeftOut(for refusal: MQTTRefusal) -> Bool {
    if case .row = origin { refusal.isOfThisMessage } else { true }
  }
}
