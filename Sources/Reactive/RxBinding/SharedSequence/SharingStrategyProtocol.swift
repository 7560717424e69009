import Rx

/// Where a ``SharedSequence`` delivers, and how it shares its source (RxCocoa's `SharingStrategyProtocol`).
public protocol SharingStrategyProtocol: SendableMetatype {
  /// The scheduler that delivers the elements.
  static var scheduler: any SchedulerType { get }

  /// `source` with one subscription to it for all subscribers.
  static func share<Element: Sendable>(_ source: Observable<Element>) -> Observable<Element>
}
