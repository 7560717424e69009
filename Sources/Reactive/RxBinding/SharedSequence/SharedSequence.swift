public import Rx

/// A sequence made for user-facing objects: it never fails, delivers on its strategy's scheduler (the main one) and
/// shares one subscription to its source between all subscribers (RxCocoa's `SharedSequence`).
///
/// It is the main actor's, and so are the closures of all its operators: they may read and change what belongs to the
/// main actor, such as `self` in a view controller.
///
/// Use it as ``Driver`` for state and as ``Signal`` for events. It is not an `ObservableType`: it is subscribed to with
/// `drive` or `emit`, so that a guarantee is never lost by accident. ``MainSequenceType/asObservable()`` gives it up
/// on purpose.
public typealias SharedSequence<SharingStrategy: SharingStrategyProtocol, Element: Sendable> =
  MainSequence<SharingStrategy, Element>

/// Something that can be turned into a ``SharedSequence`` (RxCocoa's `SharedSequenceConvertibleType`).
public protocol SharedSequenceConvertibleType<Element>: MainSequenceType
where SharingStrategy: SharingStrategyProtocol {
  /// The sequence.
  func asSharedSequence() -> SharedSequence<SharingStrategy, Element>
}

extension SharedSequenceConvertibleType {
  /// The sequence.
  public func asMainSequence() -> MainSequence<SharingStrategy, Element> {
    asSharedSequence()
  }

  /// Not for shared sequences: `drive` and `emit` subscribe to them.
  @available(*, unavailable, message: "use drive for a Driver, emit for a Signal, or asObservable() before subscribe")
  public func subscribe(
    onNext: (@MainActor (Element) -> Void)? = nil, onError: (@MainActor (any Swift.Error) -> Void)? = nil,
    onCompleted: (@MainActor () -> Void)? = nil, onDisposed: (@MainActor () -> Void)? = nil
  ) -> any Disposable {
    Disposables.create()
  }
}

extension MainSequence: SharedSequenceConvertibleType where SharingStrategy: SharingStrategyProtocol {
  /// This sequence.
  public func asSharedSequence() -> SharedSequence<SharingStrategy, Element> {
    self
  }
}

/// Where a ``SharedSequence`` delivers, and how it shares its source (RxCocoa's `SharingStrategyProtocol`).
public protocol SharingStrategyProtocol: MainSequenceStrategy where Failure == Never {
  /// The scheduler that delivers the elements: one that runs its actions on the main queue.
  static var scheduler: any SchedulerType { get }
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
