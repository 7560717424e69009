import Rx

/// Collects values from closures of any kind.
package final class Recorder<Value: Sendable>: Sendable {
  private let recorded = Locked<[Value]>([])
  package init() {}
  package var values: [Value] { recorded.withLock { $0 } }
  package func record(_ value: Value) { recorded.withLock { $0.append(value) } }
  package func removeAll() { recorded.withLock { $0 = [] } }
}
