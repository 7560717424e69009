import Rx

/// A sequence made for user-facing objects: it never fails, delivers on its strategy's scheduler (the main one) and
/// shares one subscription to its source between all subscribers (RxCocoa's `SharedSequence`).
///
/// Use it as ``Driver`` for state and as ``Signal`` for events. It is not an `ObservableType`: it is subscribed to with
/// `drive` or `emit`, so that a guarantee is never lost by accident. ``asObservable()`` gives it up on purpose.
public struct SharedSequence<SharingStrategy: SharingStrategyProtocol, Element: Sendable>:
  SharedSequenceConvertibleType
{
  let source: Observable<Element>

  /// Shares `source`, which never fails and delivers on the strategy's scheduler.
  init(_ source: Observable<Element>) {
    self.source = SharingStrategy.share(source)
  }

  /// Takes `raw` as it is: a source that never fails, delivers on the strategy's scheduler and need not be shared.
  init(raw: Observable<Element>) {
    source = raw
  }

  /// The elements as an ordinary sequence.
  public func asObservable() -> Observable<Element> {
    source
  }

  /// This sequence.
  public func asSharedSequence() -> SharedSequence<SharingStrategy, Element> {
    self
  }
}
