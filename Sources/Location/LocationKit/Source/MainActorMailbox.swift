import Dispatch
import Synchronization

/// Hands batches from one reading thread to the main actor, in order, and makes the thread wait when the
/// main actor falls behind, so that a long recording does not pile up in memory and a live report is not old.
public final class MainActorMailbox<Element: Sendable>: Sendable {
  private struct State {
    var waiting: [[Element]] = []
    var isScheduled = false
    var isClosed = false
    var isSenderBlocked = false

    /// Whether the semaphore must be signalled: only for a sender that waits, or signals would pile up and the
    /// next wait would spin through them.
    mutating func unblockSender() -> Bool {
      defer { isSenderBlocked = false }
      return isSenderBlocked
    }
  }

  private enum Outcome { case queued(schedule: Bool), full, closed }

  private let state = Mutex(State())
  private let room = DispatchSemaphore(value: 0)
  private let limit: Int
  private let handler: @MainActor @Sendable ([Element]) -> Void

  /// Creates a mailbox that holds at most `limit` undelivered batches.
  public init(limit: Int = 4, deliver: @escaping @MainActor @Sendable ([Element]) -> Void) {
    self.limit = max(1, limit)
    handler = deliver
  }

  /// Queues a batch for the main actor; blocks the calling thread while `limit` batches wait. Call it from
  /// one thread that may block, never from the main actor. Returns false when the mailbox is closed.
  @discardableResult
  public func send(_ batch: [Element]) -> Bool {
    while true {
      let outcome: Outcome = state.withLock { state in
        if state.isClosed { return .closed }
        if state.waiting.count >= limit {
          state.isSenderBlocked = true
          return .full
        }
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

  /// Delivers a batch, after those that wait, and returns when that is done: for what has just come from a receiver. Call
  /// it where `send` may be called. Returns false when the mailbox is closed.
  ///
  /// While the main queue has nothing to do and belongs to no thread, as in a daemon, this thread does the work itself: a
  /// report costs one wake-up and not two. Otherwise it waits for its turn.
  @discardableResult
  public func deliver(_ batch: [Element]) -> Bool {
    let isOpen = state.withLock { state in
      if !state.isClosed { state.waiting.append(batch) }
      return !state.isClosed
    }
    guard isOpen else { return false }
    DispatchQueue.main.sync {
      MainActor.assumeIsolated {
        while deliverNext() {}
      }
    }
    return state.withLock { !$0.isClosed }
  }

  /// Delivers all that waits, at once, such as before an end.
  @MainActor
  public func deliverWaiting() {
    while deliverNext() {}
  }

  /// Ends delivery: what waits is dropped and a blocked sender returns.
  public func close() {
    let wake = state.withLock { state in
      state.isClosed = true
      state.waiting.removeAll()
      return state.unblockSender()
    }
    if wake { room.signal() }
  }

  private func scheduleDelivery() {
    DispatchQueue.main.async { [self] in
      MainActor.assumeIsolated { deliverOne() }
    }
  }

  @MainActor
  private func deliverOne() {
    deliverNext()
    let more = state.withLock { state in
      state.isScheduled = !state.waiting.isEmpty
      return state.isScheduled
    }
    // One batch a turn: timers, signals and sockets on the main queue get theirs in between.
    if more { scheduleDelivery() }
  }

  /// Delivers the oldest batch that waits; false when there is none.
  @MainActor
  @discardableResult
  private func deliverNext() -> Bool {
    let (batch, wake): ([Element]?, Bool) = state.withLock { state in
      guard !state.waiting.isEmpty else { return (nil, false) }
      return (state.waiting.removeFirst(), state.unblockSender())
    }
    if wake { room.signal() }
    if let batch { handler(batch) }
    return batch != nil
  }
}
