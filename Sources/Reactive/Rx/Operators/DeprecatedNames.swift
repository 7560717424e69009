// The old names that RxSwift's tutorials still use. They work, with a warning that has today's name.
extension ObservableType {
  /// The old name of ``catch(_:)``.
  @available(*, deprecated, renamed: "catch(_:)")
  public func catchError(
    _ handler: @escaping @Sendable (any Swift.Error) throws -> Observable<Element>
  ) -> Observable<Element> {
    self.catch(handler)
  }

  /// The old name of ``catch(sequence:)``.
  @available(*, deprecated, renamed: "catch(sequence:)")
  public static func catchError<Sources: Sequence & Sendable>(_ sequence: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> {
    .catch(sequence: sequence)
  }

  /// The old name of ``catchAndReturn(_:)``.
  @available(*, deprecated, renamed: "catchAndReturn(_:)")
  public func catchErrorJustReturn(_ element: Element) -> Observable<Element> {
    catchAndReturn(element)
  }

  /// The old name of `retry(when:)`.
  @available(*, deprecated, renamed: "retry(when:)")
  public func retryWhen<Trigger: ObservableType>(
    _ notificationHandler: @escaping @Sendable (Observable<any Swift.Error>) -> Trigger
  ) -> Observable<Element> {
    retry(when: notificationHandler)
  }

  /// The old name of ``observe(on:)``.
  @available(*, deprecated, renamed: "observe(on:)")
  public func observeOn(_ scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    observe(on: scheduler)
  }

  /// The old name of ``subscribe(on:)``.
  @available(*, deprecated, renamed: "subscribe(on:)")
  public func subscribeOn(_ scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    subscribe(on: scheduler)
  }

  /// The old name of `take(until:)`.
  @available(*, deprecated, renamed: "take(until:)")
  public func takeUntil<Source: ObservableConvertibleType>(_ other: Source) -> Observable<Element> {
    take(until: other)
  }

  /// The old name of `take(until:behavior:)`.
  @available(*, deprecated, renamed: "take(until:behavior:)")
  public func takeUntil(
    _ behavior: TakeBehavior, predicate: @escaping @Sendable (Element) throws -> Bool
  ) -> Observable<Element> {
    take(until: predicate, behavior: behavior)
  }

  /// The old name of ``take(while:behavior:)``.
  @available(*, deprecated, renamed: "take(while:)")
  public func takeWhile(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
    take(while: predicate)
  }

  /// The old name of ``take(for:scheduler:)``.
  @available(*, deprecated, renamed: "take(for:scheduler:)")
  public func take(_ duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    take(for: duration, scheduler: scheduler)
  }

  /// The old name of ``skip(until:)``.
  @available(*, deprecated, renamed: "skip(until:)")
  public func skipUntil<Source: ObservableConvertibleType>(_ other: Source) -> Observable<Element> {
    skip(until: other)
  }

  /// The old name of ``skip(while:)``.
  @available(*, deprecated, renamed: "skip(while:)")
  public func skipWhile(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
    skip(while: predicate)
  }

  /// The old name of ``element(at:)``.
  @available(*, deprecated, renamed: "element(at:)")
  public func elementAt(_ index: Int) -> Observable<Element> {
    element(at: index)
  }
}

extension PrimitiveSequence {
  /// The old name of ``catch(_:)``.
  @available(*, deprecated, renamed: "catch(_:)")
  public func catchError(_ handler: @escaping @Sendable (any Swift.Error) throws -> Self) -> Self {
    self.catch(handler)
  }

  /// The old name of `retry(when:)`.
  @available(*, deprecated, renamed: "retry(when:)")
  public func retryWhen<Trigger: ObservableType>(
    _ notificationHandler: @escaping @Sendable (Observable<any Swift.Error>) -> Trigger
  ) -> Self {
    retry(when: notificationHandler)
  }

  /// The old name of ``observe(on:)``.
  @available(*, deprecated, renamed: "observe(on:)")
  public func observeOn(_ scheduler: any ImmediateSchedulerType) -> Self {
    observe(on: scheduler)
  }

  /// The old name of ``subscribe(on:)``.
  @available(*, deprecated, renamed: "subscribe(on:)")
  public func subscribeOn(_ scheduler: any ImmediateSchedulerType) -> Self {
    subscribe(on: scheduler)
  }
}

extension PrimitiveSequence where Trait == SingleTrait {
  /// The old name of ``catchAndReturn(_:)``.
  @available(*, deprecated, renamed: "catchAndReturn(_:)")
  public func catchErrorJustReturn(_ element: Element) -> Single<Element> {
    catchAndReturn(element)
  }

  /// The old name of ``subscribe(onSuccess:onFailure:onDisposed:)``.
  @available(*, deprecated, renamed: "subscribe(onSuccess:onFailure:onDisposed:)")
  public func subscribe(
    onSuccess: (@Sendable (Element) -> Void)? = nil, onError: @escaping @Sendable (any Swift.Error) -> Void,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    subscribe(onSuccess: onSuccess, onFailure: onError, onDisposed: onDisposed)
  }
}
