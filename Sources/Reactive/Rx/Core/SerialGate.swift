import Synchronization

/// Lets events through one thread at a time, without ever making a thread wait: a thread that finds another thread
/// inside leaves the event to it. A thread that is already inside may enter again, so re-entrant events are delivered
/// at once, as in RxSwift. A source that any thread may call (a subject, the observer of `create`) keeps the Rx grammar
/// this way. It costs two atomic operations per event when no other thread is inside.
struct SerialGate: ~Copyable, Sendable {
  /// The delivery of an event that was left to another thread.
  typealias Delivery = @Sendable () -> Void

  // The identity of the thread that is inside, or 0. The lowest bit is set when other threads have left deliveries in `pending`, and
  // only under the lock of `pending`.
  private let owner = Atomic<UInt>(0)
  private let pending = Locked<[Delivery]>([])

  private static var pendingBit: UInt { 1 }

  /// Calls `now` when no other thread is inside; otherwise leaves what `later` makes to the thread that is. What other
  /// threads have left is delivered before a re-entrant event.
  @inline(__always)
  func run(_ now: () -> Void, orLater later: () -> Delivery) {
    if runNow(now) { return }
    let thread = CurrentThread.identity
    guard enterOrDefer(thread, later) else { return }
    now()
    leave(thread)
  }

  /// Calls `now` when no other thread is inside. Returns whether it did.
  @inline(__always)
  func runNow(_ now: () -> Void) -> Bool {
    let thread = CurrentThread.identity
    let (entered, inside) = owner.compareExchange(
      expected: 0, desired: thread, successOrdering: .acquiring, failureOrdering: .relaxed)
    if !entered {
      guard inside & ~Self.pendingBit == thread else { return false }
      if inside != thread { drain(thread) }
    }
    now()
    if entered { leave(thread) }
    return true
  }

  /// Calls `delivery` when no other thread is inside; otherwise leaves it to the thread that is.
  func run(_ delivery: @escaping Delivery) { run(delivery, orLater: { delivery }) }

  /// Leaves a delivery to the thread inside. If none is inside any more, the caller enters instead and gets true.
  private func enterOrDefer(_ thread: UInt, _ later: () -> Delivery) -> Bool {
    pending.withLock { pending in
      while true {
        let inside = owner.load(ordering: .relaxed)
        if inside == 0 {
          let attempt = owner.compareExchange(
            expected: 0, desired: thread, successOrdering: .acquiring, failureOrdering: .relaxed)
          if attempt.exchanged { return true }
        } else if owner.compareExchange(expected: inside, desired: inside | Self.pendingBit, ordering: .relaxed)
          .exchanged
        {
          pending.append(later())
          return false
        }
      }
    }
  }

  /// Leaves, after delivering what other threads have left meanwhile.
  private func leave(_ thread: UInt) {
    while !owner.compareExchange(
      expected: thread, desired: 0, successOrdering: .releasing, failureOrdering: .relaxed
    ).exchanged {
      drain(thread)
    }
  }

  private func drain(_ thread: UInt) {
    let deliveries = pending.withLock { pending in
      owner.store(thread, ordering: .relaxed)
      let deliveries = pending
      pending = []
      return deliveries
    }
    for delivery in deliveries { delivery() }
  }
}
