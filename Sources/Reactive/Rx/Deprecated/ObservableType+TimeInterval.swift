import Dispatch

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// The time operators with spans in seconds, as RxSwift had them before version 5.
extension ObservableType {
  /// `timeout(_:scheduler:)` with a span in seconds.
  @available(*, deprecated, message: "Use the DispatchTimeInterval overload.", renamed: "timeout(_:scheduler:)")
  public func timeout(_ dueTime: TimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    timeout(.span(seconds: dueTime), scheduler: scheduler)
  }

  /// `timeout(_:other:scheduler:)` with a span in seconds.
  @available(*, deprecated, message: "Use the DispatchTimeInterval overload.", renamed: "timeout(_:other:scheduler:)")
  public func timeout<Source: ObservableConvertibleType>(
    _ dueTime: TimeInterval, other: Source, scheduler: any SchedulerType
  ) -> Observable<Element> where Source.Element == Element {
    timeout(.span(seconds: dueTime), other: other, scheduler: scheduler)
  }

  /// `skip(_:scheduler:)` with a span in seconds.
  @available(*, deprecated, message: "Use the DispatchTimeInterval overload.", renamed: "skip(_:scheduler:)")
  public func skip(_ duration: TimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    skip(.span(seconds: duration), scheduler: scheduler)
  }

  /// `take(for:scheduler:)` with a span in seconds.
  @available(*, deprecated, message: "Use the DispatchTimeInterval overload.", renamed: "take(for:scheduler:)")
  public func take(_ duration: TimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    take(for: .span(seconds: duration), scheduler: scheduler)
  }

  /// `delay(_:scheduler:)` with a span in seconds.
  @available(*, deprecated, message: "Use the DispatchTimeInterval overload.", renamed: "delay(_:scheduler:)")
  public func delay(_ dueTime: TimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    delay(.span(seconds: dueTime), scheduler: scheduler)
  }

  /// `debounce(_:scheduler:)` with a span in seconds.
  @available(*, deprecated, message: "Use the DispatchTimeInterval overload.", renamed: "debounce(_:scheduler:)")
  public func debounce(_ dueTime: TimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    debounce(.span(seconds: dueTime), scheduler: scheduler)
  }

  /// `throttle(_:latest:scheduler:)` with a span in seconds.
  @available(
    *, deprecated, message: "Use the DispatchTimeInterval overload.", renamed: "throttle(_:latest:scheduler:)"
  )
  public func throttle(
    _ dueTime: TimeInterval, latest: Bool = true, scheduler: any SchedulerType
  ) -> Observable<Element> {
    throttle(.span(seconds: dueTime), latest: latest, scheduler: scheduler)
  }

  /// `buffer(timeSpan:count:scheduler:)` with a span in seconds.
  @available(
    *, deprecated, message: "Use the DispatchTimeInterval overload.", renamed: "buffer(timeSpan:count:scheduler:)"
  )
  public func buffer(
    timeSpan: TimeInterval, count: Int, scheduler: any SchedulerType
  ) -> Observable<[Element]> {
    buffer(timeSpan: .span(seconds: timeSpan), count: count, scheduler: scheduler)
  }
}

extension ObservableType where Element: RxAbstractInteger {
  /// `interval(_:scheduler:)` with a span in seconds.
  @available(*, deprecated, message: "Use the DispatchTimeInterval overload.", renamed: "interval(_:scheduler:)")
  public static func interval(_ period: TimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    interval(.span(seconds: period), scheduler: scheduler)
  }

  /// `timer(_:period:scheduler:)` with spans in seconds.
  @available(*, deprecated, message: "Use the DispatchTimeInterval overload.", renamed: "timer(_:period:scheduler:)")
  public static func timer(
    _ dueTime: TimeInterval, period: TimeInterval? = nil, scheduler: any SchedulerType
  ) -> Observable<Element> {
    timer(.span(seconds: dueTime), period: period.map { .span(seconds: $0) }, scheduler: scheduler)
  }
}

extension DispatchTimeInterval {
  /// A span of so many seconds; `never` if it is more than fits.
  package static func span(seconds: TimeInterval) -> DispatchTimeInterval {
    Int(exactly: (seconds * 1e9).rounded()).map { .nanoseconds($0) } ?? .never
  }
}
