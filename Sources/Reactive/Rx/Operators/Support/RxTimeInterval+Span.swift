import Dispatch

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension RxTimeInterval {
  /// What is left at `now` of this span, begun at `start`; nothing if it is over.
  ///
  /// To the nanosecond, where RxSwift rounds to the unit that the span was written in: half a second of one second
  /// is never mistaken for none or for all of it.
  func remaining(since start: RxTime, at now: RxTime) -> RxTimeInterval {
    let nanoseconds = ((seconds - now.timeIntervalSince(start)) * 1e9).rounded()
    if nanoseconds <= 0 { return .nanoseconds(0) }
    return Int(exactly: nanoseconds).map { .nanoseconds($0) } ?? .never
  }
}
