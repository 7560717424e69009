import Rx

/// A ``SharedSequence`` for state: delivers on the main scheduler, never fails, and gives a new subscriber the newest
/// element at once (RxCocoa's `Driver`).
///
///     let title: Driver<String> = search.results
///       .map { "\($0.count) results" }
///       .asDriver(onErrorJustReturn: "offline")
///
///     title.drive(titleLabel.rx.text).disposed(by: bag)
///     title.drive(window.rx.title).disposed(by: bag)   // the search does not run twice
///
/// The source is subscribed to while there is a subscriber. When the last one goes, the newest element is forgotten.
public typealias Driver<Element: Sendable> = SharedSequence<DriverSharingStrategy, Element>

/// How a ``Driver`` shares: one subscription, the newest element for those who come late.
public enum DriverSharingStrategy: SharingStrategyProtocol {
  /// The main scheduler, or a test's.
  public static var scheduler: any SchedulerType {
    SharingScheduler.make()
  }

  /// Shares `source` and replays its newest element while there are subscribers.
  public static func share<Element: Sendable>(_ source: Observable<Element>) -> Observable<Element> {
    source.share(replay: 1, scope: .whileConnected)
  }
}

extension SharedSequenceConvertibleType where SharingStrategy == DriverSharingStrategy {
  /// This sequence.
  public func asDriver() -> Driver<Element> {
    asSharedSequence()
  }
}
