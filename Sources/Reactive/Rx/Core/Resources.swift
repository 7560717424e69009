#if TRACE_RESOURCES
  import Synchronization
#endif

/// Counts the live objects of the kernel, in builds with `TRACE_RESOURCES` (debug builds): observables, stages of
/// subscriptions and disposables. A test that ends with another ``total`` than it began with has leaked (RxSwift).
public enum Resources {
  #if TRACE_RESOURCES
    private static let count = Atomic<Int>(0)

    /// How many live objects there are now.
    public static var total: Int32 { Int32(truncatingIfNeeded: count.load(ordering: .sequentiallyConsistent)) }

    /// Counts one more object and returns the new total.
    @discardableResult
    public static func incrementTotal() -> Int32 {
      Int32(truncatingIfNeeded: count.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue)
    }

    /// Counts one object less and returns the new total.
    @discardableResult
    public static func decrementTotal() -> Int32 {
      Int32(truncatingIfNeeded: count.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue)
    }
  #endif

  /// Called by every counted object's initialiser; nothing in builds that do not count.
  @inline(__always)
  static func created() {
    #if TRACE_RESOURCES
      incrementTotal()
    #endif
  }

  /// Called by every counted object's deinitialiser; nothing in builds that do not count.
  @inline(__always)
  static func destroyed() {
    #if TRACE_RESOURCES
      decrementTotal()
    #endif
  }
}

/// Counts its owner as a resource for as long as the owner lives.
struct CountedResource: ~Copyable, Sendable {
  init() { Resources.created() }

  deinit { Resources.destroyed() }
}
