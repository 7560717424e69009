import Synchronization

/// A number that only grows: how many of something there were. From any thread, an atomic addition.
public final class MetricsCounter: Sendable {
  private let count = Atomic<UInt64>(0)

  init() {}

  /// Adds to it; a negative amount adds nothing.
  public func increment(by amount: Int = 1) {
    if amount > 0 { count.wrappingAdd(UInt64(amount), ordering: .relaxed) }
  }

  /// How many there were.
  public var value: UInt64 { count.load(ordering: .relaxed) }
}
