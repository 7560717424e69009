import Dispatch
import Rx

// The time operators with spans in seconds, as RxCocoa had them before version 5.
extension SharedSequenceConvertibleType {
  /// ``throttle(_:latest:)`` with a span in seconds.
  @available(*, deprecated, message: "Use the DispatchTimeInterval overload.", renamed: "throttle(_:latest:)")
  public func throttle(_ dueTime: Double, latest: Bool = true) -> SharedSequence<SharingStrategy, Element> {
    throttle(.span(seconds: dueTime), latest: latest)
  }

  /// ``debounce(_:)`` with a span in seconds.
  @available(*, deprecated, message: "Use the DispatchTimeInterval overload.", renamed: "debounce(_:)")
  public func debounce(_ dueTime: Double) -> SharedSequence<SharingStrategy, Element> {
    debounce(.span(seconds: dueTime))
  }

  /// ``delay(_:)`` with a span in seconds.
  @available(*, deprecated, message: "Use the DispatchTimeInterval overload.", renamed: "delay(_:)")
  public func delay(_ dueTime: Double) -> SharedSequence<SharingStrategy, Element> {
    delay(.span(seconds: dueTime))
  }
}

extension SharedSequence where Element: FixedWidthInteger {
  /// ``interval(_:)`` with a span in seconds.
  @available(*, deprecated, message: "Use the DispatchTimeInterval overload.", renamed: "interval(_:)")
  public static func interval(_ period: Double) -> SharedSequence<SharingStrategy, Element> {
    interval(.span(seconds: period))
  }

  /// ``timer(_:period:)`` with spans in seconds.
  @available(*, deprecated, message: "Use the DispatchTimeInterval overload.", renamed: "timer(_:period:)")
  public static func timer(_ dueTime: Double, period: Double) -> SharedSequence<SharingStrategy, Element> {
    timer(.span(seconds: dueTime), period: .span(seconds: period))
  }
}
