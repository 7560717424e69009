import Rx

/// A sequence made for user-facing objects: it never fails, delivers on its strategy's scheduler (the main one) and
/// shares one subscription to its source between all subscribers (RxCocoa's `SharedSequence`).
///
/// It is the main actor's, and so are the closures of all its operators: they may read and change what belongs to the
/// main actor, such as `self` in a view controller.
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

  /// The elements as an ordinary sequence. On another thread than the main one a subscription begins a little later.
  public func asObservable() -> Observable<Element> {
    source.subscribe(on: ConcurrentMainScheduler.instance)
  }

  /// This sequence.
  public func asSharedSequence() -> SharedSequence<SharingStrategy, Element> {
    self
  }
}

/// Something that can be turned into a ``SharedSequence`` (RxCocoa's `SharedSequenceConvertibleType`).
public protocol SharedSequenceConvertibleType<Element>: ObservableConvertibleType {
  /// Where the sequence delivers, and how it is shared.
  associatedtype SharingStrategy: SharingStrategyProtocol

  /// The sequence.
  func asSharedSequence() -> SharedSequence<SharingStrategy, Element>
}

extension SharedSequenceConvertibleType {
  /// What the operators work on: the elements for those who are on the main actor.
  var source: Observable<Element> {
    asSharedSequence().source
  }

  /// The elements as an ordinary sequence. On another thread than the main one a subscription begins a little later.
  public func asObservable() -> Observable<Element> {
    asSharedSequence().asObservable()
  }
}

/// Where a ``SharedSequence`` delivers, and how it shares its source (RxCocoa's `SharingStrategyProtocol`).
public protocol SharingStrategyProtocol: SendableMetatype {
  /// The scheduler that delivers the elements: one that runs its actions on the main queue.
  static var scheduler: any SchedulerType { get }

  /// `source` with one subscription to it for all subscribers.
  static func share<Element: Sendable>(_ source: Observable<Element>) -> Observable<Element>
}

extension SharedSequence {
  /// The elements for a `for await` loop, which ends when the sequence completes; the end of the loop ends the
  /// subscription.
  ///
  ///     for await title in title.values { … }
  @MainActor
  public var values: AsyncStream<Element> {
    AsyncStream(source)
  }
}

extension ObservableConvertibleType {
  /// This sequence as a ``SharedSequence`` that ends with `onErrorJustReturn` in case of an error.
  public func asSharedSequence<Strategy: SharingStrategyProtocol>(
    sharingStrategy: Strategy.Type = Strategy.self, onErrorJustReturn: Element
  ) -> SharedSequence<Strategy, Element> {
    SharedSequence(asObservable().observe(on: Strategy.scheduler).catchAndReturn(onErrorJustReturn))
  }

  /// This sequence as a ``SharedSequence`` that continues with `onErrorDriveWith` in case of an error.
  public func asSharedSequence<Strategy: SharingStrategyProtocol>(
    sharingStrategy: Strategy.Type = Strategy.self, onErrorDriveWith: SharedSequence<Strategy, Element>
  ) -> SharedSequence<Strategy, Element> {
    asSharedSequence(sharingStrategy: sharingStrategy) { _ in onErrorDriveWith }
  }

  /// This sequence as a ``SharedSequence`` that continues with what `onErrorRecover` makes of an error.
  public func asSharedSequence<Strategy: SharingStrategyProtocol>(
    sharingStrategy: Strategy.Type = Strategy.self,
    onErrorRecover: @escaping @MainActor (_ error: any Swift.Error) -> SharedSequence<Strategy, Element>
  ) -> SharedSequence<Strategy, Element> {
    SharedSequence(
      asObservable().observe(on: Strategy.scheduler).catch { error in
        MainActor.assumeIsolated { onErrorRecover(error).source }
      })
  }
}
