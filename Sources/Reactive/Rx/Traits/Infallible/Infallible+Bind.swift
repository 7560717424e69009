// Binding an infallible sequence; see `bind(to:)` of `ObservableType`.
extension InfallibleType {
  /// Sends every event to each of `targets`, observers or relays (RxCocoa).
  public func bind<Target: BindingTarget>(to targets: Target...) -> any Disposable where Target.Element == Element {
    asObservable().bind(to: fan(targets))
  }

  /// Sends every event to each of `targets`, observers or relays of optionals (RxCocoa).
  public func bind<Target: BindingTarget>(to targets: Target...) -> any Disposable where Target.Element == Element? {
    asObservable().bind(to: fan(targets))
  }

  /// What `binder` makes of this sequence.
  public func bind<Result>(to binder: (Self) -> Result) -> Result {
    binder(self)
  }

  /// What `binder` makes of this sequence and then of `curriedArgument`.
  public func bind<Argument, Result>(to binder: (Self) -> (Argument) -> Result, curriedArgument: Argument) -> Result {
    binder(self)(curriedArgument)
  }

  /// Calls `onNext` with every element.
  public func bind(onNext: @escaping @Sendable (Element) -> Void) -> any Disposable {
    subscribe(onNext: onNext)
  }

  /// Calls `onNext` with `object`, which is held weakly, and every element.
  public func bind<Object: AnyObject & Sendable>(
    with object: Object, onNext: @escaping @Sendable (Object, Element) -> Void
  ) -> any Disposable {
    subscribe(with: object, onNext: onNext)
  }
}
