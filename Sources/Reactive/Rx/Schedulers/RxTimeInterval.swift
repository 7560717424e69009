public import Dispatch

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A span of time (RxSwift's `RxTimeInterval`).
public typealias RxTimeInterval = DispatchTimeInterval

/// A point in time (RxSwift's `RxTime`).
public typealias RxTime = Date

extension DispatchTimeInterval {
  /// The span in seconds; infinite for `.never`.
  package var seconds: Double {
    switch self {
    case .seconds(let value): Double(value)
    case .milliseconds(let value): Double(value) / 1e3
    case .microseconds(let value): Double(value) / 1e6
    case .nanoseconds(let value): Double(value) / 1e9
    case .never: .infinity
    @unknown default: .infinity
    }
  }

  /// The rest of this span at `now`, if it began at `start`; zero if it is over.
  ///
  /// To the nanosecond, where RxSwift rounds to the unit that the span was written in: half a second of one second
  /// is never mistaken for none or for all of it.
  func remaining(since start: RxTime, at now: RxTime) -> RxTimeInterval {
    let nanoseconds = ((seconds - now.timeIntervalSince(start)) * 1e9).rounded()
    if nanoseconds <= 0 { return .nanoseconds(0) }
    return Int(exactly: nanoseconds).map { .nanoseconds($0) } ?? .never
  }
}
