import Synchronization

/// A number that goes up and down, or is not known. From any thread, an atomic store.
public final class MetricsGauge: Sendable {
  // Not a number stands for unknown, which is no value a gauge is set to.
  private let bits = Atomic<UInt64>(Double.nan.bitPattern)

  /// Creates a gauge that no registry shows: a number for a computed metric.
  public init() {}

  /// The value; `nil` while it is not known, and the metric is then absent.
  public var value: Double? {
    get {
      let value = Double(bitPattern: bits.load(ordering: .relaxed))
      return value.isNaN ? nil : value
    }
    set { bits.store((newValue ?? .nan).bitPattern, ordering: .relaxed) }
  }
}
