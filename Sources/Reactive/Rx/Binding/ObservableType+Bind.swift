extension ObservableType {
  /// Sends every event to each of `observers` (RxCocoa's `bind(to:)`).
  public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
  where Observer.Element == Element {
    asObservable().subscribe(fan(observers))
  }

  /// Sends every event to each of `observers`, which take optionals (RxCocoa's `bind(to:)`).
  public func bind<Observer: ObserverType>(to observers: Observer...) -> any Disposable
  where Observer.Element == Element? {
    map { $0 }.subscribe(fan(observers))
  }

  /// Sends every element to each of `relays`. An error is a programmer's fault (RxCocoa's `bind(to:)`).
  public func bind<Relay: RelayType>(to relays: Relay...) -> any Disposable where Relay.Element == Element {
    bind { element in for relay in relays { relay.accept(element) } }
  }

  /// Sends every element to each of `relays`, which take optionals. An error is a programmer's fault.
  public func bind<Relay: RelayType>(to relays: Relay...) -> any Disposable where Relay.Element == Element? {
    bind { element in for relay in relays { relay.accept(element) } }
  }

  /// Hands this sequence to `binder`, a function that subscribes to it.
  public func bind<Result>(to binder: (Self) -> Result) -> Result {
    binder(self)
  }

  /// Hands this sequence to `binder`, a function of the main actor that subscribes to it.
  @MainActor
  @_disfavoredOverload
  public func bind<Result>(to binder: @MainActor (Self) -> Result) -> Result {
    binder(self)
  }

  /// Hands this sequence and then `curriedArgument` to `binder`.
  public func bind<Argument, Result>(
    to binder: (Self) -> (Argument) -> Result, curriedArgument: Argument
  ) -> Result {
    binder(self)(curriedArgument)
  }

  /// Hands this sequence and then `curriedArgument` to `binder`, whose second function belongs to the main
  /// actor.
  @MainActor
  @_disfavoredOverload
  public func bind<Argument, Result>(
    to binder: @MainActor (Self) -> @MainActor (Argument) -> Result, curriedArgument: Argument
  ) -> Result {
    binder(self)(curriedArgument)
  }

  /// Hands this sequence and then a closure of the main actor to `binder`: what makes the cells of a list, for one.
  @MainActor
  public func bind<each Argument, Answer, Result>(
    to binder: @MainActor (Self) -> @MainActor (@escaping @MainActor (repeat each Argument) -> Answer) -> Result,
    curriedArgument: @escaping @MainActor (repeat each Argument) -> Answer
  ) -> Result {
    binder(self)(curriedArgument)
  }

  /// Calls `onNext` with every element. An error is a programmer's fault (RxCocoa's `bind(onNext:)`).
  public func bind(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable {
    subscribe(onNext: onNext, onError: BindingError.raise)
  }

  /// Calls `onNext` with `object`, which is held weakly, and every element. An error is a programmer's fault (RxCocoa's
  /// `bind(with:onNext:)`).
  public func bind<Object: AnyObject & Sendable>(
    with object: Object, onNext: @escaping @Sendable (Object, Element) -> Void
  ) -> any Disposable {
    bind(onNext: weakly(object, onNext))
  }
}

/// One observer for several.
package func fan<Observer: ObserverType>(_ observers: [Observer]) -> AnyObserver<Observer.Element> {
  if observers.count == 1 { return observers[0].asObserver() }
  return AnyObserver { event in
    for observer in observers { observer.on(event) }
  }
}

extension ObservableType {
  /// Sets a property of `object`, which is held weakly, to each element, on the main actor: for a model that is
  /// `@Observable`, or any other object. An error is a programmer's fault.
  ///
  ///     positions.map(\.speed).bind(to: \.speed, on: model).disposed(by: bag)
  public func bind<Object: AnyObject & Sendable>(
    to keyPath: ReferenceWritableKeyPath<Object, Element>, on object: Object
  ) -> any Disposable {
    bind(to: Binder(object, keyPath))
  }

  /// Sets an optional property of `object`, which is held weakly, to each element, on the main actor. An error is a
  /// programmer's fault.
  public func bind<Object: AnyObject & Sendable>(
    to keyPath: ReferenceWritableKeyPath<Object, Element?>, on object: Object
  ) -> any Disposable {
    bind(to: Binder(object, keyPath))
  }
}

extension Binder {
  /// A binder to a property of `object`.
  package init<Object: AnyObject & Sendable>(_ object: Object, _ keyPath: ReferenceWritableKeyPath<Object, Value>) {
    // A key path is immutable, and this one is used on the main actor only. A key path to a
    // property of the main actor is not Sendable, although it may be used there.
    nonisolated(unsafe) let keyPath = keyPath
    self.init(object) { object, value in
      object[keyPath: keyPath] = value
    }
  }
}
