// What a Single and a Maybe can do because they may have an element, as in RxSwift.
extension PrimitiveSequence where Trait: ElementTrait {
  /// A sequence of `element`.
  public static func just(_ element: Element) -> Self { PrimitiveSequence(raw: .just(element)) }

  /// A sequence of `element`, sent on `scheduler`.
  public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Self {
    PrimitiveSequence(raw: .just(element, scheduler: scheduler))
  }

  /// The element, if `predicate` holds for it; its error is that of the result.
  public func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Maybe<Element> {
    Maybe(raw: source.filter(predicate))
  }

  /// A sequence of what `transform` makes of the element; its error is that of the result.
  public func map<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) throws -> Result
  ) -> PrimitiveSequence<Trait, Result> {
    PrimitiveSequence<Trait, Result>(raw: source.map(transform))
  }

  /// What `transform` makes of the element, if that is not `nil`; its error is that of the result.
  public func compactMap<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) throws -> Result?
  ) -> Maybe<Result> {
    Maybe<Result>(raw: source.compactMap(transform))
  }

  /// The sequence that `selector` makes of the element; its error is that of the result.
  public func flatMap<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) throws -> PrimitiveSequence<Trait, Result>
  ) -> PrimitiveSequence<Trait, Result> {
    PrimitiveSequence<Trait, Result>(raw: source.flatMap(selector))
  }

  /// The maybe that `selector` makes of the element; its error is that of the result.
  public func flatMapMaybe<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) throws -> Maybe<Result>
  ) -> Maybe<Result> {
    Maybe<Result>(raw: source.flatMap(selector))
  }

  /// The completable that `selector` makes of the element; its error is that of the result.
  public func flatMapCompletable(_ selector: @escaping @Sendable (Element) throws -> Completable) -> Completable {
    Completable(raw: source.flatMap(selector))
  }

  /// This sequence, and if it fails, `element` instead.
  public func catchAndReturn(_ element: Element) -> Self { PrimitiveSequence(raw: source.catchAndReturn(element)) }

  /// The result of `resultSelector` for the elements, when they are there.
  public static func zip<First: Sendable, each Other: Sendable>(
    _ first: PrimitiveSequence<Trait, First>, _ other: repeat PrimitiveSequence<Trait, each Other>,
    resultSelector: @escaping @Sendable (First, repeat each Other) throws -> Element
  ) -> Self {
    PrimitiveSequence(raw: .zip(first, repeat each other, resultSelector: resultSelector))
  }

  /// The result of `resultSelector` for all elements, when they are there. Of no sequences it is made at once.
  public static func zip<Result: Sendable>(
    _ collection: some Collection<Self>, resultSelector: @escaping @Sendable ([Element]) throws -> Result
  ) -> PrimitiveSequence<Trait, Result> {
    if collection.isEmpty { return PrimitiveSequence<Trait, Result>(raw: .deferred { .just(try resultSelector([])) }) }
    return PrimitiveSequence<Trait, Result>(raw: .zip(collection, resultSelector: resultSelector))
  }

  /// A sequence of all elements, when they are there. Of no sequences it is `[]`.
  public static func zip(_ collection: some Collection<Self>) -> PrimitiveSequence<Trait, [Element]> {
    zip(collection) { $0 }
  }
}

extension PrimitiveSequence where Trait: ElementTrait, Element == any Sendable {
  /// A sequence of the elements as a tuple, when they are there.
  public static func zip<each Input: Sendable>(
    _ source: repeat PrimitiveSequence<Trait, each Input>
  ) -> PrimitiveSequence<Trait, (repeat each Input)> {
    PrimitiveSequence<Trait, (repeat each Input)>(raw: Observable.zip(repeat each source))
  }
}
