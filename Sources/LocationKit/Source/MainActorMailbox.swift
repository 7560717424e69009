import Dispatch
import Synchronization

/// Hands batches from one reading thread to the main actor, in order, and makes the thread wait when the
/// main actor falls behind, so that a long recording does not pile up in memory.
public final class MainActorMailbox<Element: Sendable>: Sendable {
  private struct State {
    var waiting: [[Element]] = []
    var isScheduled = false
    var isClosed = false
  }

  private enum Outcome { case queued(schedule: Bool), full, closed }

  private let state = Mutex(State())
  private let room = DispatchSemaphore(value: 0)
  private let limit: Int
  private let deliver: @MainActor @Sendable ([Element]) -> Void

  /// Creates a mailbox that holds at most `limit` undelivered batches.
  public init(limit: Int = 4, deliver: @escaping @MainActor @Sendable ([Element]) -> Void) {
    self.limit = limit
    self.deliver = deliver
  }

  /// Queues a batch for the main actor; blocks the calling thread while `limit` batches wait. Call it from
  /// one thread that may block, never from the main actor. Returns false when the mailbox is closed.
  @discardableResult
  public func send(_ batch: [Element]) -> Bool {
    while true {
      let outcome: Outcome = state.withLock { state in
        if state.isClosed { return .closed }
        if state.waiting.count >= limit { return .full }
        state.waiting.append(batch)
        let schedule = !state.isScheduled
        state.isScheduled = true
        return .queued(schedule: schedule)
      }
      switch outcome {
      case .closed: return false
      case .full: room.wait()
      case .queued(let schedule):
        if schedule { scheduleDelivery() }
        return true
      }
    }
  }

  /// Ends delivery: what waits is dropped and a blocked sender returns.
  public func close() {
    state.withLock { state in
      state.isClosed = true
      state.waiting.removeAll()
    }
    room.signal()
  }

  private func scheduleDelivery() {
    DispatchQueue.main.async { [self] in
      MainActor.assumeIsolated { deliverOne() }
    }
  }

  @MainActor
  private func deliverOne() {
    let batch: [Element]? = state.withLock { state in
      state.waiting.isEmpty ? nil : state.waiting.removeFirst()
    }
    if let batch {
      room.signal()
      deliver(batch)
    }
    let more = state.withLock { state in
      state.isScheduled = !state.waiting.isEmpty
      return state.isScheduled
    }
    // One batch a turn: timers, signals and sockets on the main queue get theirs in between.
    if more { scheduleDelivery() }
  }
}
