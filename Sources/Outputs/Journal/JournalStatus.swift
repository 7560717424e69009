import Synchronization

/// The writing thread's counts of the file, for all threads.
final class JournalStatus: Sendable {
  struct Counts: Sendable {
    var newest: Int64 = 0
    var bytes = 0
    /// Rows that were lost with a log that another program removed.
    var lost = 0
    var unread = 0
    /// Records that were stored without a time.
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
