import Rx

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// How two points of virtual time compare (RxSwift's `VirtualTimeComparison`).
public enum VirtualTimeComparison: Sendable {
  /// The first is earlier.
  case lessThan
  /// They are the same.
  case equal
  /// The first is later.
  case greaterThan
}

/// Translates between virtual and real time (RxSwift's `VirtualTimeConverterType`).
public protocol VirtualTimeConverterType: Sendable {
  /// A point of virtual time.
  associatedtype VirtualTimeUnit: Sendable
  /// A span of virtual time.
  associatedtype VirtualTimeIntervalUnit: Sendable

  /// The real time that `virtualTime` stands for.
  func convertFromVirtualTime(_ virtualTime: VirtualTimeUnit) -> RxTime

  /// The virtual time that stands for `time`.
  func convertToVirtualTime(_ time: RxTime) -> VirtualTimeUnit

  /// The real span, in seconds, that `virtualTimeInterval` stands for.
  func convertFromVirtualTimeInterval(_ virtualTimeInterval: VirtualTimeIntervalUnit) -> TimeInterval

  /// The virtual span that stands for `timeInterval` seconds.
  func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> VirtualTimeIntervalUnit

  /// `time` moved by `offset`.
  func offsetVirtualTime(_ time: VirtualTimeUnit, offset: VirtualTimeIntervalUnit) -> VirtualTimeUnit

  /// How `lhs` compares to `rhs`.
  func compareVirtualTime(_ lhs: VirtualTimeUnit, _ rhs: VirtualTimeUnit) -> VirtualTimeComparison
}
