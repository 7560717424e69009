import Rx

/// A ``SharedSequence`` for events: delivers on the main scheduler, never fails, and replays nothing (RxCocoa).
///
///     let saved: Signal<Void> = saveButton.rx.tap
///       .flatMapLatest { store.save() }
///       .asSignal(onErrorSignalWith: .empty())
///
///     saved.emit(onNext: { toast.show("Saved") }).disposed(by: bag)
///
/// The source is subscribed to while there is a subscriber.
public typealias Signal<Element: Sendable> = SharedSequence<SignalSharingStrategy, Element>

/// How a ``Signal`` shares: one subscription, and no replay for late subscribers.
public enum SignalSharingStrategy: SharingStrategyProtocol, TransientStrategy {
  /// Shares `source` while there are subscribers.
  public static func share<Element: Sendable>(_ source: Observable<Element>) -> Observable<Element> {
    source.share(scope: .whileConnected)
  }
}

extension SharedSequenceConvertibleType where SharingStrategy == SignalSharingStrategy {
  /// This sequence.
  public func asSignal() -> Signal<Element> { asSharedSequence() }
}

extension ObservableConvertibleType {
  /// This sequence as a ``Signal`` that ends with `onErrorJustReturn` in case of an error.
  public func asSignal(onErrorJustReturn: Element) -> Signal<Element> {
    asSharedSequence(onErrorJustReturn: onErrorJustReturn)
  }

  /// This sequence as a ``Signal`` that continues with `onErrorSignalWith` in case of an error.
  public func asSignal(onErrorSignalWith: Signal<Element>) -> Signal<Element> {
    asSharedSequence(onErrorDriveWith: onErrorSignalWith)
  }

  /// This sequence as a ``Signal`` that continues with what `onErrorRecover` makes of an error.
  public func asSignal(
    onErrorRecover: @escaping @MainActor (_ error: any Swift.Error) -> Signal<Element>
  ) -> Signal<Element> {
    asSharedSequence(onErrorRecover: onErrorRecover)
  }
}

extension RelayType {
  /// The relay's elements as a ``Signal``; a relay cannot fail, so there is no error to replace.
  public func asSignal() -> Signal<Element> { Signal(moving: asObservable()) }
}

extension SharedSequenceConvertibleType where SharingStrategy == SignalSharingStrategy {
  /// Sends every event to each of `targets`, observers or relays.
  ///
  /// Every form of `emit` is the main actor's, as the closures of a signal's operators are.
  @MainActor
  public func emit<Target: BindingTarget>(to targets: Target...) -> any Disposable where Target.Element == Element {
    source.bind(to: fan(targets))
  }

  /// Sends every event to each of `targets`, observers or relays of optionals.
  @MainActor
  public func emit<Target: BindingTarget>(to targets: Target...) -> any Disposable where Target.Element == Element? {
    source.bind(to: fan(targets))
  }

  /// Calls a closure on the main actor for each kind of event but errors; see `subscribeOnMain` of `ObservableType`.
  @MainActor
  public func emit(
    onNext: (@MainActor (Element) -> Void)? = nil,
    onCompleted: (@MainActor () -> Void)? = nil,
    onDisposed: (@MainActor () -> Void)? = nil
  ) -> any Disposable {
    source.subscribeOnMain(onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Calls a closure on the main actor for each kind of event with `object`, which is held weakly, while it exists.
  @MainActor
  public func emit<Object: AnyObject & Sendable>(
    with object: Object,
    onNext: (@MainActor (Object, Element) -> Void)? = nil,
    onCompleted: (@MainActor (Object) -> Void)? = nil,
    onDisposed: (@MainActor (Object) -> Void)? = nil
  ) -> any Disposable {
    source.subscribeOnMain(with: object, onNext: onNext, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Sets a property of `object`, held weakly, to each element: of an `@Observable` model, or any other object.
  @MainActor
  public func emit<Object: AnyObject & Sendable>(
    to keyPath: ReferenceWritableKeyPath<Object, Element>, on object: Object
  ) -> any Disposable {
    emit(to: Binder(object, keyPath))
  }

  /// Sets an optional property of `object`, which is held weakly, to each element.
  @MainActor
  public func emit<Object: AnyObject & Sendable>(
    to keyPath: ReferenceWritableKeyPath<Object, Element?>, on object: Object
  ) -> any Disposable {
    emit(to: Binder(object, keyPath))
  }
}
