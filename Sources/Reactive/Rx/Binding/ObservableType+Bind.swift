/// A sequence that can be bound to observers, relays and properties: an ordinary one, an infallible one, or the main actor's.
public protocol BindableType<Element>: ObservableConvertibleType {
  /// What a binder takes, a function that subscribes to a sequence.
  associatedtype Bound = Observable<Element>

  /// This sequence for a binder.
  var bound: Bound { get }
}

extension BindableType where Bound == Observable<Element> {
  /// This sequence as an ordinary one.
  public var bound: Observable<Element> { asObservable() }
}

extension BindableType {
  /// Sends every event to each of `targets`, observers or relays (RxCocoa).
  public func bind<Target: BindingTarget>(to targets: Target...) -> any Disposable where Target.Element == Element {
    asObservable().subscribe(fan(targets))
  }

  /// Sends every event to each of `targets`, observers or relays of optionals (RxCocoa).
  public func bind<Target: BindingTarget>(to targets: Target...) -> any Disposable where Target.Element == Element? {
    asObservable().map { $0 }.subscribe(fan(targets))
  }

  /// Sets a property of `object`, which is held weakly, to each element, on the main actor: for a model that is
  /// `@Observable`, or any other object. An error is a programmer's fault.
  ///
  ///     positions.map(\.speed).bind(to: \.speed, on: model).disposed(by: bag)
  public func bind<Object: AnyObject & Sendable>(
    to keyPath: ReferenceWritableKeyPath<Object, Element>, on object: Object
  ) -> any Disposable {
    bind(to: Binder(object, keyPath))
  }

  /// Sets an optional property of `object`, held weakly, to each element. An error is a programmer's fault.
  public func bind<Object: AnyObject & Sendable>(
    to keyPath: ReferenceWritableKeyPath<Object, Element?>, on object: Object
  ) -> any Disposable {
    bind(to: Binder(object, keyPath))
  }

  /// Hands this sequence to `binder`, a function that subscribes to it.
  @_disfavoredOverload
  public func bind<Result>(to binder: (Bound) -> Result) -> Result { binder(bound) }

  /// Hands this sequence to `binder`, a function of the main actor that subscribes to it.
  @MainActor
  @_disfavoredOverload
  public func bind<Result>(to binder: @MainActor (Bound) -> Result) -> Result { binder(bound) }

  /// Hands this sequence and then `curriedArgument` to `binder`.
  public func bind<Argument, Result>(to binder: (Bound) -> (Argument) -> Result, curriedArgument: Argument) -> Result {
    binder(bound)(curriedArgument)
  }

  /// Hands this sequence and then `curriedArgument` to `binder`, whose second function is the main actor's.
  @MainActor
  @_disfavoredOverload
  public func bind<Argument, Result>(
    to binder: @MainActor (Bound) -> @MainActor (Argument) -> Result, curriedArgument: Argument
  ) -> Result {
    binder(bound)(curriedArgument)
  }

  /// Hands this sequence and then a closure of the main actor to `binder`: what makes the cells of a list, for one.
  @MainActor
  public func bind<each Argument, Answer, Result>(
    to binder: @MainActor (Bound) -> @MainActor (@escaping @MainActor (repeat each Argument) -> Answer) -> Result,
    curriedArgument: @escaping @MainActor (repeat each Argument) -> Answer
  ) -> Result {
    binder(bound)(curriedArgument)
  }
}

extension ObservableType {
  /// Calls `onNext` with every element. An error is a programmer's fault (RxCocoa).
  public func bind(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable {
    subscribe(onNext: onNext, onError: BindingError.raise)
  }

  /// Calls `onNext` with `object`, held weakly, and each element. An error is a programmer's fault (RxCocoa).
  public func bind<Object: AnyObject & Sendable>(
    with object: Object, onNext: @escaping @Sendable (Object, Element) -> Void
  ) -> any Disposable {
    bind(onNext: weakly(object, onNext))
  }
}

/// Something that a sequence can be bound to: an observer or a relay.
public protocol BindingTarget<Element>: Sendable {
  /// The type of the elements received.
  associatedtype Element: Sendable

  /// The observer that receives the events. A relay has elements only, and an error is a programmer's fault.
  func asBindingObserver() -> AnyObserver<Element>
}

extension ObserverType {
  /// This observer with its type erased.
  public func asBindingObserver() -> AnyObserver<Element> { asObserver() }
}

extension RelayType {
  /// An observer that sends elements to this relay.
  public func asBindingObserver() -> AnyObserver<Element> {
    AnyObserver(
      sink: ClosureSink(
        onNext: { self.accept($1) },
        onEnd: { if let error = $1 { BindingError.raise(error) } }))
  }
}

/// One observer for several targets.
package func fan<Target: BindingTarget>(_ targets: [Target]) -> AnyObserver<Target.Element> {
  let observers = targets.map { $0.asBindingObserver() }
  if observers.count == 1 { return observers[0] }
  return AnyObserver { event in
    for observer in observers { observer.on(event) }
  }
}

extension Binder {
  /// A binder to a property of `object`.
  package init<Object: AnyObject & Sendable>(_ object: Object, _ keyPath: ReferenceWritableKeyPath<Object, Value>) {
    // A key path is immutable, and this one is used on the main actor only. A key path to a property of the main actor
    // is not Sendable, although it may be used there.
    nonisolated(unsafe) let keyPath = keyPath
    self.init(object) { object, value in
      object[keyPath: keyPath] = value
    }
  }
}
