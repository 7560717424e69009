import Rx

/// A value with the virtual time at which it was produced (RxTest's `Recorded`).
public struct Recorded<Value> {
  /// The virtual time at which the value was produced.
  public let time: TestTime

  /// The value.
  public let value: Value

  /// A record of `value` at `time`.
  public init(time: TestTime, value: Value) {
    self.time = time
    self.value = value
  }
}

extension Recorded: Sendable where Value: Sendable {}

extension Recorded: Equatable where Value: Equatable {}

extension Recorded: CustomDebugStringConvertible {
  /// The value and its time, as RxTest prints them: `next(1) @ 210`.
  public var debugDescription: String {
    "\(value) @ \(time)"
  }
}
