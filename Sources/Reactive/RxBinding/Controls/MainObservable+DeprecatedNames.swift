public import Rx

// The old names that RxSwift's tutorials still use. They work, with a warning that has today's name.
extension MainObservableType {
  /// The old name of `catchAndReturn(_:)`.
  @available(*, deprecated, renamed: "catchAndReturn(_:)")
  public func catchErrorJustReturn(_ element: Element) -> MainObservable<Element> {
    catchAndReturn(element)
  }

  /// The old name of `observe(on:)`.
  @available(*, deprecated, renamed: "observe(on:)")
  public func observeOn(_ scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    observe(on: scheduler)
  }

  /// The old name of `take(until:)`.
  @available(*, deprecated, renamed: "take(until:)")
  public func takeUntil<Other: ObservableConvertibleType>(_ other: Other) -> MainObservable<Element> {
    take(until: other)
  }

  /// The old name of `take(while:behavior:)`.
  @available(*, deprecated, renamed: "take(while:)")
  public func takeWhile(_ predicate: @escaping @MainActor (Element) throws -> Bool) -> MainObservable<Element> {
    take(while: predicate)
  }

  /// The old name of `skip(until:)`.
  @available(*, deprecated, renamed: "skip(until:)")
  public func skipUntil<Other: ObservableConvertibleType>(_ other: Other) -> MainObservable<Element> {
    skip(until: other)
  }

  /// The old name of `skip(while:)`.
  @available(*, deprecated, renamed: "skip(while:)")
  public func skipWhile(_ predicate: @escaping @MainActor (Element) throws -> Bool) -> MainObservable<Element> {
    skip(while: predicate)
  }

  /// The old name of `element(at:)`.
  @available(*, deprecated, renamed: "element(at:)")
  public func elementAt(_ index: Int) -> MainObservable<Element> {
    element(at: index)
  }

  // MARK: What an ordinary sequence needs for closures of the main actor

  /// The name that an ordinary sequence has for this.
  @available(*, deprecated, renamed: "subscribe(onNext:onError:onCompleted:onDisposed:)")
  public func subscribeOnMain(
    onNext: (@MainActor (Element) -> Void)? = nil,
    onError: (@MainActor (any Swift.Error) -> Void)? = nil,
    onCompleted: (@MainActor () -> Void)? = nil,
    onDisposed: (@MainActor () -> Void)? = nil
  ) -> any Disposable {
    subscribe(onNext: onNext, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// The name that an ordinary sequence has for this.
  @available(*, deprecated, renamed: "subscribe(with:onNext:onError:onCompleted:onDisposed:)")
  public func subscribeOnMain<Object: AnyObject & Sendable>(
    with object: Object,
    onNext: (@MainActor (Object, Element) -> Void)? = nil,
    onError: (@MainActor (Object, any Swift.Error) -> Void)? = nil,
    onCompleted: (@MainActor (Object) -> Void)? = nil,
    onDisposed: (@MainActor (Object) -> Void)? = nil
  ) -> any Disposable {
    subscribe(with: object, onNext: onNext, onError: onError, onCompleted: onCompleted, onDisposed: onDisposed)
  }

  /// The name that an ordinary sequence has for this.
  @available(*, deprecated, renamed: "bind(onNext:)")
  public func bindOnMain(onNext: @escaping @MainActor (Element) -> Void) -> any Disposable {
    bind(onNext: onNext)
  }

  /// The name that an ordinary sequence has for this.
  @available(*, deprecated, renamed: "bind(with:onNext:)")
  public func bindOnMain<Object: AnyObject & Sendable>(
    with object: Object, onNext: @escaping @MainActor (Object, Element) -> Void
  ) -> any Disposable {
    bind(with: object, onNext: onNext)
  }
}
