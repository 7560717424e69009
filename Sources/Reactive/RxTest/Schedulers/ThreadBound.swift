import Rx

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A value that stays on the thread where it was wrapped, or on the main queue if it was wrapped there.
///
/// `@unchecked Sendable`: ``value`` traps on any other thread.
struct ThreadBound<Value>: @unchecked Sendable {
  private let wrapped: Value
  private let thread = pthread_self()
  private let isOnMainQueue = MainQueue.isCurrent

  init(_ value: Value) {
    wrapped = value
  }

  /// The value.
  var value: Value {
    precondition(
      pthread_equal(thread, pthread_self()) != 0 || (isOnMainQueue && MainQueue.isCurrent),
      "a TestScheduler is driven on the thread where it was given its actions; make the test @MainActor"
    )
    return wrapped
  }
}
