import Rx

/// Collects values from closures of any kind.
public final class Recorder<Value: Sendable>: Sendable {
  private let recorded = Locked<[Value]>([])

  /// Creates an empty recorder.
  public init() {}

  /// What was recorded, in order.
  public var values: [Value] { recorded.withLock { $0 } }

  /// Adds a value. Any thread.
  public func record(_ value: Value) { recorded.withLock { $0.append(value) } }

  /// Forgets what was recorded.
  public func removeAll() { recorded.withLock { $0 = [] } }
}
