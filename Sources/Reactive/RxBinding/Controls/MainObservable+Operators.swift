public import Rx

// The operators of an ordinary sequence, with closures of the main actor. An error of a closure ends the sequence.
extension MainObservableType {
  // MARK: Elements

  /// The elements with their numbers, from 0.
  public func enumerated() -> MainObservable<(index: Int, element: Element)> { MainObservable(source.enumerated()) }

  /// The result of `accumulator` for `seed` and all elements, once the sequence has completed.
  public func reduce<Accumulated: Sendable>(
    _ seed: Accumulated, accumulator: @escaping @MainActor (Accumulated, Element) throws -> Accumulated
  ) -> MainObservable<Accumulated> {
    MainObservable(source.reduce(seed, accumulator: onMainActor(accumulator)))
  }

  // MARK: Fewer elements, and more

  /// The elements from the first one that `predicate` does not accept.
  public func skip(while predicate: @escaping @MainActor (Element) throws -> Bool) -> MainObservable<Element> {
    MainObservable(source.skip(while: onMainActor(predicate)))
  }

  /// The elements after `other` has sent one.
  public func skip<Other: ObservableConvertibleType>(until other: Other) -> MainObservable<Element> {
    MainObservable(source.skip(until: onMain(other)))
  }

  /// The first `count` elements.
  public func take(_ count: Int) -> MainObservable<Element> { MainObservable(source.take(count)) }

  /// The elements before the first one that `predicate` does not accept and, if `behavior` is inclusive, that one.
  public func take(
    while predicate: @escaping @MainActor (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
  ) -> MainObservable<Element> {
    MainObservable(source.take(while: onMainActor(predicate), behavior: behavior))
  }

  /// The elements until `predicate` accepts one and, if `behavior` is inclusive, that one.
  public func take(
    until predicate: @escaping @MainActor (Element) throws -> Bool, behavior: TakeBehavior = .exclusive
  ) -> MainObservable<Element> {
    MainObservable(source.take(until: onMainActor(predicate), behavior: behavior))
  }

  /// The elements until `other` sends one.
  public func take<Other: ObservableConvertibleType>(until other: Other) -> MainObservable<Element> {
    MainObservable(source.take(until: onMain(other)))
  }

  // MARK: Other sequences

  /// The elements of all sequences that `selector` makes, merged.
  public func flatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping @MainActor (Element) throws -> Source
  ) -> MainObservable<Source.Element> {
    MainObservable(moving: source.flatMap(onMainActor(selector)))
  }

  /// The elements of the sequence that `selector` made last; the one before it is unsubscribed from.
  public func flatMapLatest<Source: ObservableConvertibleType>(
    _ selector: @escaping @MainActor (Element) throws -> Source
  ) -> MainObservable<Source.Element> {
    MainObservable(moving: source.flatMapLatest(onMainActor(selector)))
  }

  /// The elements of the sequences that `selector` makes, one at a time: what arrives while one is running is ignored.
  public func flatMapFirst<Source: ObservableConvertibleType>(
    _ selector: @escaping @MainActor (Element) throws -> Source
  ) -> MainObservable<Source.Element> {
    MainObservable(moving: source.flatMapFirst(onMainActor(selector)))
  }

  /// The elements of the sequences that `selector` makes, one after the other.
  public func concatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping @MainActor (Element) throws -> Source
  ) -> MainObservable<Source.Element> {
    MainObservable(moving: source.concatMap(onMainActor(selector)))
  }

  /// The results of `resultSelector` for each element and the newest one of `second`; nothing before `second` has one.
  public func withLatestFrom<Second: ObservableConvertibleType, Result: Sendable>(
    _ second: Second, resultSelector: @escaping @MainActor (Element, Second.Element) throws -> Result
  ) -> MainObservable<Result> {
    MainObservable(source.withLatestFrom(onMain(second), resultSelector: onMainActor(resultSelector)))
  }

  /// The newest element of `second` each time that this sequence has one; nothing before `second` has one.
  public func withLatestFrom<Second: ObservableConvertibleType>(_ second: Second) -> MainObservable<Second.Element> {
    MainObservable(source.withLatestFrom(onMain(second)))
  }

  // MARK: Errors

  /// The elements, and after an error those of the sequence that `handler` makes of it.
  public func `catch`(
    _ handler: @escaping @MainActor (any Swift.Error) throws -> Observable<Element>
  ) -> MainObservable<Element> {
    MainObservable(moving: source.catch(onMainActor(handler)))
  }

  /// The elements, and in the place of an error `element`.
  public func catchAndReturn(_ element: Element) -> MainObservable<Element> {
    MainObservable(source.catchAndReturn(element))
  }

  // MARK: Sharing

  /// One subscription to this sequence for all subscribers, with the newest `replay` elements for late subscribers.
  public func share(replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected) -> MainObservable<Element> {
    MainObservable(source.share(replay: replay, scope: scope))
  }
}

/// The elements of `other`, sent on the main queue. A sequence of the main actor sends there already.
private func onMain<Other: ObservableConvertibleType>(_ other: Other) -> Observable<Other.Element> {
  if let other = other as? any MainObservableType<Other.Element> { return other.asMainObservable().source }
  return other.asObservable().observe(on: MainScheduler())
}
