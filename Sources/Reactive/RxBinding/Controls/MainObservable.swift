public import Rx

/// A sequence of the main actor that may fail and is not shared, as ``ControlEvent`` and ``ControlProperty`` are.
///
///     saveButton.rx.tap
///       .filter { !self.document.isEmpty }
///       .flatMapLatest { self.confirm("Save?") }
///       .subscribe(with: self, onNext: { editor, answer in editor.save(answer) })
///       .disposed(by: bag)
///
/// `Observable.merge`, `concat`, `combineLatest` and `zip` take such sequences too, also together with ordinary ones.
public typealias MainObservable<Element: Sendable> = MainSequence<MainObservableStrategy, Element>

/// The strategy of a ``MainObservable``: it may fail, and each subscription to it is one to its source.
public enum MainObservableStrategy: TransientStrategy {
  /// Any error.
  public typealias Failure = any Error

  /// The main scheduler.
  public static var scheduler: any SchedulerType { MainScheduler() }

  /// `source` itself.
  public static func share<Element: Sendable>(_ source: Observable<Element>) -> Observable<Element> { source }
}

/// Something that is a sequence of the main actor; see ``MainObservable``.
public protocol MainObservableType<Element>: MainSequenceType, BindableType
where SharingStrategy == MainObservableStrategy, Bound == Observable<Element> {
  /// The sequence.
  func asMainObservable() -> MainObservable<Element>
}

extension MainSequence: BindableType, MainObservableType where SharingStrategy == MainObservableStrategy {
  /// This sequence.
  public func asMainObservable() -> MainObservable<Element> { self }
}

extension MainObservableType {
  /// The sequence.
  public func asMainSequence() -> MainObservable<Element> { asMainObservable() }

  // MARK: Subscribing

  /// Subscribes `observer`; on another thread than the main one the subscription begins a little later.
  public func subscribe(_ observer: some ObserverType<Element>) -> any Disposable { asObservable().subscribe(observer) }

  /// Calls a closure, on the main actor, with every event.
  public func subscribe(_ on: @escaping @MainActor (Event<Element>) -> Void) -> any Disposable {
    subscribe(onNext: { on(.next($0)) }, onError: { on(.error($0)) }, onCompleted: { on(.completed) })
  }

  /// Calls a closure, on the main actor, for each kind of event. On another thread than the main one the subscription
  /// begins a little later. See `subscribeOnMain` of `ObservableType`.
  public func subscribe(
    onNext: (@MainActor (Element) -> Void)? = nil,
    onError: (@MainActor (any Swift.Error) -> Void)? = nil,
    onCompleted: (@MainActor () -> Void)? = nil,
    onDisposed: (@MainActor () -> Void)? = nil
  ) -> any Disposable {
    asObservable()
      .subscribeOnMain(onNext: onNext, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// Calls a closure on the main actor for each kind of event with `object`, which is held weakly, while it exists.
  public func subscribe<Object: AnyObject & Sendable>(
    with object: Object,
    onNext: (@MainActor (Object, Element) -> Void)? = nil,
    onError: (@MainActor (Object, any Swift.Error) -> Void)? = nil,
    onCompleted: (@MainActor (Object) -> Void)? = nil,
    onDisposed: (@MainActor (Object) -> Void)? = nil
  ) -> any Disposable {
    asObservable().subscribeOnMain(
      with: object, onNext: onNext, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  // MARK: Binding

  /// Calls `onNext` on the main actor with every element. An error is a programmer's fault.
  public func bind(onNext: @escaping @MainActor (Element) -> Void) -> any Disposable {
    asObservable().bindOnMain(onNext: onNext)
  }

  /// Calls `onNext` on the main actor with `object`, held weakly, and each element. An error is a programmer's fault.
  public func bind<Object: AnyObject & Sendable>(
    with object: Object, onNext: @escaping @MainActor (Object, Element) -> Void
  ) -> any Disposable {
    asObservable().bindOnMain(with: object, onNext: onNext)
  }
}
