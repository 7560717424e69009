import Rx

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A point in, or a span of, virtual time: a number of ticks of a ``TestScheduler``.
public typealias TestTime = Int

/// Converts the ticks of a ``TestScheduler`` to dates and seconds (RxTest's `TestSchedulerVirtualTimeConverter`).
///
/// What a tick cannot hold (a time that is not a number, or beyond `Int`) becomes the nearest tick there is.
public struct TestSchedulerVirtualTimeConverter: VirtualTimeConverterType {
  /// A tick, counted from the scheduler's zero.
  public typealias VirtualTimeUnit = TestTime

  /// A number of ticks.
  public typealias VirtualTimeIntervalUnit = TestTime

  private let resolution: Double

  init(resolution: Double) {
    self.resolution = resolution
  }

  /// The date of a tick; tick 0 is 1970-01-01 00:00 UTC.
  public func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> RxTime {
    Date(timeIntervalSince1970: Double(virtualTime) * resolution)
  }

  /// The tick nearest to a date.
  public func convertToVirtualTime(_ time: RxTime) -> VirtualTimeUnit {
    ticks(time.timeIntervalSince1970)
  }

  /// A number of ticks in seconds.
  public func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit) -> TimeInterval {
    Double(virtualTimeInterval) * resolution
  }

  /// A number of seconds in ticks, rounded to the nearest.
  public func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> VirtualTimeIntervalUnit {
    ticks(timeInterval)
  }

  /// The tick `offset` ticks after `time`.
  public func offsetVirtualTime(_ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit) -> VirtualTimeUnit {
    let (sum, overflow) = time.addingReportingOverflow(offset)
    return overflow ? (offset < 0 ? .min : .max) : sum
  }

  /// Which of two ticks comes first.
  public func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison {
    if lhs < rhs { return .lessThan }
    return lhs > rhs ? .greaterThan : .equal
  }

  private func ticks(_ seconds: Double) -> TestTime {
    let ticks = (seconds / resolution + 0.5).rounded(.towardZero)
    return TestTime(exactly: ticks) ?? (ticks < 0 ? .min : .max)
  }
}
