import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Lets events through one thread at a time, without ever making a thread wait: who finds another thread inside
/// leaves the event to it. A thread that is inside already may enter again, so re-entrant events are delivered at
/// once, as in RxSwift. This is what makes a source that everybody may call (a subject, the observer of `create`)
/// keep the Rx grammar; two atomic operations an event when nobody else is inside.
struct SerialGate: ~Copyable, Sendable {
  enum Entry {
    /// The caller is inside, and calls `leave` when it is done.
    case entered
    /// The caller was inside already, and does not call `leave`.
    case reentered
    /// Another thread is inside.
    case occupied
  }

  /// The delivery of an event that was left to another thread.
  typealias Delivery = @Sendable () -> Void

  // The thread that is inside, or 0. The lowest bit says that others have left something in `pending`; it is set
  // only under that lock.
  private let owner = Atomic<UInt>(0)
  private let pending = Locked<[Delivery]>([])

  private static var pendingBit: UInt { 1 }

  /// The calling thread. Thread handles are addresses of aligned structures: never 0, and even.
  static var currentThread: UInt {
    #if canImport(Glibc)
      UInt(pthread_self())
    #else
      UInt(bitPattern: pthread_self())
    #endif
  }

  /// Tries to enter. What other threads have left is delivered before a re-entrant event.
  @inline(__always)
  func enter(_ thread: UInt) -> Entry {
    let (entered, inside) = owner.compareExchange(
      expected: 0, desired: thread, successOrdering: .acquiring, failureOrdering: .relaxed)
    if entered { return .entered }
    if inside & ~Self.pendingBit != thread { return .occupied }
    if inside != thread { drain(thread) }
    return .reentered
  }

  /// Leaves `delivery` to the thread that is inside, after calling `onDefer`. Returns whether the caller has entered
  /// instead because there was none any more.
  @inline(never)
  func enterOrDefer(_ thread: UInt, _ delivery: @escaping Delivery, onDefer: () -> Void = {}) -> Bool {
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
          onDefer()
          pending.append(delivery)
          return false
        }
      }
    }
  }

  /// Leaves, after delivering what other threads have left meanwhile.
  @inline(__always)
  func leave(_ thread: UInt) {
    while !owner.compareExchange(
      expected: thread, desired: 0, successOrdering: .releasing, failureOrdering: .relaxed
    ).exchanged {
      drain(thread)
    }
  }

  @inline(never)
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
