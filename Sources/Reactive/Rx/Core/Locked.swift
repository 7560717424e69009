import Synchronization

/// A value that is touched under a lock only: a `Mutex` whose order the thread sanitizer sees.
///
/// The mutex's own atomic operations are in a library that is not instrumented, so that the sanitizer takes every use
/// of it for a race. A store at the end of each access, which the next one loads, tells it the order; both are plain
/// moves. It may be inlined into other modules: the outbox takes it once for each record.
///
/// A closure goes into a structure first. As the value itself, or an optional, each access would wrap it once more.
@usableFromInline
package struct Locked<Value: Sendable>: ~Copyable, Sendable {
  @usableFromInline let mutex: Mutex<Value>
  @usableFromInline let order = Atomic<UInt8>(0)

  /// A lock around `value`.
  package init(_ value: Value) { mutex = Mutex(value) }

  /// Calls `body` with the value, under the lock. `body` must not take the lock again.
  @inlinable @inline(__always)
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try mutex.withLock { (value) throws(Failure) -> Result in
      _ = order.load(ordering: .acquiring)
      defer { order.store(0, ordering: .releasing) }
      return try body(&value)
    }
  }

  /// Puts `newValue` in the place of the value, which is released outside of the lock: its end may run anything.
  func replace(with newValue: Value) {
    var replaced = newValue
    withLock { swap(&$0, &replaced) }
  }
}
