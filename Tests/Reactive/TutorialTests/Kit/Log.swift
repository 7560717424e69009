import Dispatch
import Synchronization

/// Written to from any thread.
final class Log<Entry: Sendable>: Sendable {
  private let stored = Mutex<[Entry]>([])

  var entries: [Entry] { stored.withLock { $0 } }
  func add(_ entry: Entry) { stored.withLock { $0.append(entry) } }
}

enum Failure: Error, Equatable {
  case offline
}

/// Whether the caller runs on the main thread, where the main actor is.
func isOnMainActor() -> Bool {
  dispatchPrecondition(condition: .onQueue(.main))
  return true
}
