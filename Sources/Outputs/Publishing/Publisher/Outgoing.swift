/// A message for the broker or the server.
struct Outgoing: Equatable {
  /// The meaning of its acknowledgement.
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

  /// Whether to skip this message after such a refusal: it will never be accepted, or it is not stored in a journal and
  /// must not delay messages that are.
  func isLeftOut(for refusal: MessageRefusal) -> Bool {
    if case .row = origin { refusal.isOfThisMessage } else { true }
  }
}
