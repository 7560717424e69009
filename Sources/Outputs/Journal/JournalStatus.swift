import Synchronization

/// What the writing thread says of the file, for all threads.
final class JournalStatus: Sendable {
  struct Counts: Sendable {
    var newest: Int64 = 0
    var bytes = 0
    /// Rows that went with a log that somebody took away.
    var lost = 0
    var unread = 0
    /// Records that were kept without a time.
    var untimed = 0
  }

  private let state = Mutex((counts: Counts(), handlers: [@Sendable (Int64) -> Void]()))

  var counts: Counts { state.withLock { $0.counts } }

  func update(_ change: (inout Counts) -> Void) { state.withLock { change(&$0.counts) } }

  func onCommit(_ handler: @escaping @Sendable (Int64) -> Void) { state.withLock { $0.handlers.append(handler) } }

  func committed(_ newest: Int64) {
    for handler in state.withLock({ $0.handlers }) { handler(newest) }
  }
}
