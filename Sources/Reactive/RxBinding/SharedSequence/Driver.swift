import Rx

/// A ``SharedSequence`` for state: it delivers on the main scheduler, never fails, and replays the newest element
/// (RxCocoa).
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

/// How a ``Driver`` shares: one subscription, and the newest element for late subscribers.
public enum DriverSharingStrategy: SharingStrategyProtocol {
  /// Shares `source` and replays its newest element while there are subscribers.
  public static func share<Element: Sendable>(_ source: Observable<Element>) -> Observable<Element> {
    source.share(replay: 1, scope: .whileConnected)
  }
}

extension SharedSequenceConvertibleType where SharingStrategy == DriverSharingStrategy {
  /// This sequence.
  public func asDriver() -> Driver<Element> { asSharedSequence() }
}

extension ObservableConvertibleType {
  /// This sequence as a ``Driver`` that ends with `onErrorJustReturn` in case of an error.
  public func asDriver(onErrorJustReturn: Element) -> Driver<Element> {
    asSharedSequence(onErrorJustReturn: onErrorJustReturn)
  }

  /// This sequence as a ``Driver`` that continues with `onErrorDriveWith` in case of an error.
  public func asDriver(onErrorDriveWith: Driver<Element>) -> Driver<Element> {
    asSharedSequence(onErrorDriveWith: onErrorDriveWith)
  }

  /// This sequence as a ``Driver`` that continues with what `onErrorRecover` makes of an error.
  public func asDriver(
    onErrorRecover: @escaping @MainActor (_ error: any Swift.Error) -> Driver<Element>
  ) -> Driver<Element> {
    asSharedSequence(onErrorRecover: onErrorRecover)
  }
}

extension InfallibleType {
  /// This sequence as a ``Driver``; it does not fail, so there is no error to replace (RxCocoa).
  public func asDriver() -> Driver<Element> { Driver(moving: asObservable()) }
}

extension RelayType {
  /// The relay's elements as a ``Driver``; a relay cannot fail, so there is no error to replace.
  public func asDriver() -> Driver<Element> { Driver(moving: asObservable()) }
}

extension SharedSequenceConvertibleType where SharingStrategy == DriverSharingStrategy {
  /// Sends every event to each of `targets`, observers or relays.
  ///
  /// Every form of `drive` is the main actor's: the element that is replayed is delivered before the call returns.
  @MainActor
  public func drive<Target: BindingTarget>(_ targets: Target...) -> any Disposable where Target.Element == Element {
    source.bind(to: fan(targets))
  }

  /// Sends every event to each of `targets`, observers or relays of optionals.
  @MainActor
  public func drive<Target: BindingTarget>(_ targets: Target...) -> any Disposable where Target.Element == Element? {
    source.bind(to: fan(targets))
  }

  /// Hands this driver, as an ordinary sequence, to `binder`, a function that subscribes to it.
  @MainActor
  public func drive<Result>(_ binder: @MainActor (Observable<Element>) -> Result) -> Result { binder(asObservable()) }

  /// Hands this driver, as an ordinary sequence, and then `curriedArgument` to `binder`.
  @MainActor
  public func drive<Argument, Result>(
    _ binder: @MainActor (Observable<Element>) -> @MainActor (Argument) -> Result, curriedArgument: Argument
  ) -> Result {
    binder(asObservable())(curriedArgument)
  }

  /// Hands this driver, as an ordinary sequence, and a closure to `binder`: one that makes the cells of a list, say.
  @MainActor
  public func drive<each Argument, Answer, Result>(
    _ binder:
      @MainActor (Observable<Element>) -> @MainActor (@escaping @MainActor (repeat each Argument) -> Answer) -> Result,
    curriedArgument: @escaping @MainActor (repeat each Argument) -> Answer
  ) -> Result {
    binder(asObservable())(curriedArgument)
  }

  /// Calls a closure on the main actor for each kind of event but errors; see `subscribeOnMain` of `ObservableType`.
  @MainActor
  public func drive(
    onNext: (@MainActor (Element) -> Void)? = nil,
    onCompleted: (@MainActor () -> Void)? = nil,
    onDisposed: (@MainActor () -> Void)? = nil
  ) -> any Disposable {
    source.subscribeOnMain(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Calls a closure on the main actor for each kind of event with `object`, which is held weakly, while it exists.
  @MainActor
  public func drive<Object: AnyObject & Sendable>(
    with object: Object,
    onNext: (@MainActor (Object, Element) -> Void)? = nil,
    onCompleted: (@MainActor (Object) -> Void)? = nil,
    onDisposed: (@MainActor (Object) -> Void)? = nil
  ) -> any Disposable {
    source.subscribeOnMain(with: object, onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Sets a property of `object`, held weakly, to each element: of an `@Observable` model, or any other object.
  @MainActor
  public func drive<Object: AnyObject & Sendable>(
    _ keyPath: ReferenceWritableKeyPath<Object, Element>, on object: Object
  ) -> any Disposable {
    drive(Binder(object, keyPath))
  }

  /// Sets an optional property of `object`, which is held weakly, to each element.
  @MainActor
  public func drive<Object: AnyObject & Sendable>(
    _ keyPath: ReferenceWritableKeyPath<Object, Element?>, on object: Object
  ) -> any Disposable {
    drive(Binder(object, keyPath))
  }
}
