/// A message about the publisher or its fences, which waits in no journal.
struct Announcement: Equatable {
  var topic: String
  var payload: [UInt8]
  var isRetained = false
}

/// What a publisher says of itself besides the journal's rows: what each session begins with, what is new, and after an
/// interruption what was not acknowledged.
struct Announcements {
  private var waiting: ArraySlice<Announcement> = []
  /// What is new and still holds, sent or not.
  private var news: [Announcement] = []

  /// Whether none waits.
  var isEmpty: Bool { waiting.isEmpty }

  /// How many wait.
  var count: Int { waiting.count }

  /// A session begins with these.
  mutating func begin(with announcements: [Announcement]) {
    waiting = announcements + waiting
  }

  /// Sends this once, unless the session ends before.
  mutating func add(_ announcement: Announcement) {
    waiting.append(announcement)
  }

  /// Sends these from now on, and none of the news before.
  mutating func replaceNews(by announcements: [Announcement]) {
    waiting = waiting.filter { !news.contains($0) } + announcements
    news = announcements
  }

  /// The next one that is to be sent.
  mutating func next() -> Outgoing? { waiting.popFirst().map(Outgoing.init) }

  /// The session has ended: keeps the news that were not sent, or are among `origins` and were not acknowledged.
  mutating func startOver(_ origins: [Outgoing.Origin]) {
    let unacknowledged = origins.compactMap { origin in
      if case .announcement(let announcement) = origin { announcement } else { nil }
    }
    waiting = (unacknowledged + waiting).filter(news.contains)
  }
}
