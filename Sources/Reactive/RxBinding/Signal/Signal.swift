import Rx

/// A ``SharedSequence`` for events: delivers on the main scheduler, never fails, and replays nothing (RxCocoa's
/// `Signal`).
///
///     let saved: Signal<Void> = saveButton.rx.tap
///       .flatMapLatest { store.save() }
///       .asSignal(onErrorSignalWith: .empty())
///
///     saved.emit(onNext: { toast.show("Saved") }).disposed(by: bag)
///
/// The source is subscribed to while there is a subscriber.
public typealias Signal<Element: Sendable> = SharedSequence<SignalSharingStrategy, Element>

/// How a ``Signal`` shares: one subscription, nothing for those who come late.
public enum SignalSharingStrategy: SharingStrategyProtocol {
  /// The main scheduler, or a test's.
  public static var scheduler: any SchedulerType {
    SharingScheduler.make()
  }

  /// Shares `source` while there are subscribers.
  public static func share<Element: Sendable>(_ source: Observable<Element>) -> Observable<Element> {
    source.share(scope: .whileConnected)
  }
}

extension SharedSequenceConvertibleType where SharingStrategy == SignalSharingStrategy {
  /// This sequence.
  public func asSignal() -> Signal<Element> {
    asSharedSequence()
  }
}
