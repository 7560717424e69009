import Dispatch

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// The time operators with spans in seconds, as RxSwift had them before version 5.
extension PrimitiveSequence {
  /// `delay(_:scheduler:)` with a span in seconds.
  @available(*, deprecated, message: "Use the DispatchTimeInterval overload.", renamed: "delay(_:scheduler:)")
  public func delay(_ dueTime: TimeInterval, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
    delay(.span(seconds: dueTime), scheduler: scheduler)
  }

  /// `timeout(_:scheduler:)` with a span in seconds.
  @available(*, deprecated, message: "Use the DispatchTimeInterval overload.", renamed: "timeout(_:scheduler:)")
  public func timeout(_ dueTime: TimeInterval, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
    timeout(.span(seconds: dueTime), scheduler: scheduler)
  }

  /// `timeout(_:other:scheduler:)` with a span in seconds.
  @available(*, deprecated, message: "Use the DispatchTimeInterval overload.", renamed: "timeout(_:other:scheduler:)")
  public func timeout(
    _ dueTime: TimeInterval, other: PrimitiveSequence<Trait, Element>, scheduler: any SchedulerType
  ) -> PrimitiveSequence<Trait, Element> {
    timeout(.span(seconds: dueTime), other: other, scheduler: scheduler)
  }
}

extension PrimitiveSequenceType where Element: RxAbstractInteger {
  /// `timer(_:scheduler:)` with a span in seconds.
  @available(*, deprecated, message: "Use the DispatchTimeInterval overload.", renamed: "timer(_:scheduler:)")
  public static func timer(
    _ dueTime: TimeInterval, scheduler: any SchedulerType
  ) -> PrimitiveSequence<Trait, Element> {
    timer(.span(seconds: dueTime), scheduler: scheduler)
  }
}
