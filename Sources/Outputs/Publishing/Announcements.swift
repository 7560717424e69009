/// What a publisher says of itself besides the journal's rows: what is new, and after an interruption what was not
/// acknowledged.
struct Announcements {
  /// A message that waits in no journal.
  struct Message: Equatable {
    var topic: String
    var payload: [UInt8]
    var isRetained = false
  }

  private var waiting: ArraySlice<Message> = []
  /// Those that still hold, sent or not.
  private var current: [Message] = []

  /// Whether none waits.
  var isEmpty: Bool { waiting.isEmpty }

  /// Sends these from now on, and none of those before.
  mutating func replace(by messages: [Message]) {
    current = messages
    waiting = messages[...]
  }

  /// The next one that is to be sent.
  mutating func next() -> Outgoing? {
    waiting.popFirst().map {
      Outgoing(origin: .announcement($0), topic: $0.topic, payload: $0.payload, isRetained: $0.isRetained)
    }
  }

  /// Sends those again that are among `origins` and still hold, before the others.
  mutating func `repeat`(_ origins: [Outgoing.Origin]) {
    waiting =
      origins.compactMap { origin in
        if case .announcement(let message) = origin, current.contains(message) { message } else { nil }
      } + waiting
  }
}
