/// A message for the broker or the server.
struct Outgoing: Equatable {
  /// What an acknowledgement of it means.
  enum Origin: Equatable {
    case row(Int64)
    case announcement(Announcement)
    case heartbeat
  }

  var origin: Origin
  var topic: String
  var payload: [UInt8]
  var isRetained: Bool

  init(origin: Origin, topic: String, payload: [UInt8], isRetained: Bool = false) {
    (self.origin, self.topic, self.payload, self.isRetained) = (origin, topic, payload, isRetained)
  }

  init(_ announcement: Announcement) {
    self.init(
      origin: .announcement(announcement), topic: announcement.topic, payload: announcement.payload,
      isRetained: announcement.isRetained)
  }

  /// Whether the rest goes on without this message when the broker refuses it so: it will never take it, or it waits in no
  /// journal and must not hold up what does.
  func isLeftOut(for refusal: MessageRefusal) -> Bool {
    if case .row = origin { refusal.isOfThisMessage } else { true }
  }
}
