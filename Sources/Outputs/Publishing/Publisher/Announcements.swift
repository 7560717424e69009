/// A message about the publisher or its fences, which is not stored in a journal.
struct Announcement: Equatable {
  var topic: String
  var payload: [UInt8]
  var isRetained = false
}

/// The messages that are not rows of the journal: those at the start of each session, new ones, and after an
/// interruption those that were not acknowledged.
struct Announcements {
  private var waiting: ArraySlice<Announcement> = []
  /// New messages that are still valid, whether sent or not.
  private var news: [Announcement] = []

  var isEmpty: Bool { waiting.isEmpty }

  /// The number of waiting messages.
  var count: Int { waiting.count }

  /// Begins a session with these messages.
  mutating func begin(with announcements: [Announcement]) {
    waiting = announcements + waiting
  }

  /// Sends a message once, unless the session ends first.
  mutating func add(_ announcement: Announcement) {
    waiting.append(announcement)
  }

  /// Replaces earlier news with these messages.
  mutating func replaceNews(by announcements: [Announcement]) {
    waiting = waiting.filter { !news.contains($0) } + announcements
    news = announcements
  }

  /// The next message to send.
  mutating func next() -> Outgoing? { waiting.popFirst().map(Outgoing.init) }

  /// Notes the end of the session: keeps the news that were not sent, or are among `origins` and were not acknowledged.
  mutating func startOver(_ origins: [Outgoing.Origin]) {
    let unacknowledged = origins.compactMap { origin in
      if case .announcement(let announcement) = origin { announcement } else { nil }
    }
    waiting = (unacknowledged + waiting).filter(news.contains)
  }
}
