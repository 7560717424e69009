import Dispatch
import Synchronization

/// Hands batches from one reading thread to the main actor, in order. The thread waits when the main actor falls
/// behind, so that a long recording does not fill memory and live reports do not become old.
public final class MainActorMailbox<Element: Sendable>: Sendable {
  private let state = Mutex(MailboxState())
  private let room = DispatchSemaphore(value: 0)
  private let limit: Int
  private let handler: @MainActor @Sendable ([Element]) -> Void

  /// Creates a mailbox for at most `limit` undelivered batches.
  public init(limit: Int = 4, deliver: @escaping @MainActor @Sendable ([Element]) -> Void) {
    self.limit = max(1, limit)
    handler = deliver
  }

  /// Queues a batch for the main actor, and blocks the calling thread while `limit` batches are pending. Call it from
  /// one thread that may block, never from the main actor. Returns false if the mailbox is closed.
  @discardableResult
  public func send(_ batch: [Element]) -> Bool {
    while true {
      let outcome: SendOutcome = state.withLock { state in
        if state.isClosed { return .closed }
        if state.waiting.count >= limit {
          state.isSenderBlocked = true
          return .full
        }
        state.waiting.append(delivery(of: batch))
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

  /// Delivers a batch after the pending ones, and returns when that is done. Use it for data that has just arrived from
  /// a receiver, on the thread that calls `send`. Returns false if the mailbox is closed.
  ///
  /// While the main queue is idle and belongs to no thread, as in a daemon, this thread does the work itself, which
  /// costs one wake-up instead of two. Otherwise it waits for its turn. On the main queue it delivers at once.
  @discardableResult
  public func deliver(_ batch: [Element]) -> Bool {
    let isOpen = state.withLock { state in
      if !state.isClosed { state.waiting.append(delivery(of: batch)) }
      return !state.isClosed
    }
    guard isOpen else { return false }
    if DispatchQueue.isMain {
      MainActor.assumeIsolated { deliverWaiting() }
    } else {
      DispatchQueue.main.sync { MainActor.assumeIsolated { deliverWaiting() } }
    }
    return state.withLock { !$0.isClosed }
  }

  /// Delivers all pending batches at once, for example before the end.
  @MainActor
  public func deliverWaiting() {
    while deliverNext() {}
  }

  /// Closes the mailbox: pending batches are dropped and a blocked sender returns.
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
    // One batch per turn, so that timers, signals and sockets on the main queue are served in between.
    if more { scheduleDelivery() }
  }

  /// Delivers the oldest pending batch. Returns false without one.
  @MainActor
  @discardableResult
  private func deliverNext() -> Bool {
    let (delivery, wake): (Delivery?, Bool) = state.withLock { state in
      guard !state.waiting.isEmpty else { return (nil, false) }
      return (state.waiting.removeFirst(), state.unblockSender())
    }
    if wake { room.signal() }
    delivery?()
    return delivery != nil
  }

  private func delivery(of batch: [Element]) -> Delivery { { [handler] in handler(batch) } }
}

private typealias Delivery = @MainActor @Sendable () -> Void

private enum SendOutcome { case queued(schedule: Bool), full, closed }

/// Not generic: the compiler makes no special code for the elements of other modules, and a generic state would cost a
/// look at its type for each access.
private struct MailboxState {
  var waiting: [Delivery] = []
  var isScheduled = false
  var isClosed = false
  var isSenderBlocked = false

  /// Returns whether to signal the semaphore. Only a waiting sender needs a signal; further signals would accumulate
  /// and make the next wait spin.
  mutating func unblockSender() -> Bool {
    defer { isSenderBlocked = false }
    return isSenderBlocked
  }
}

extension DispatchQueue {
  private static let mark: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the calling code runs on the main queue.
  fileprivate static var isMain: Bool { getSpecific(key: mark) == true }
}
