import Rx

// The operators that only shared sequences have. None of them can fail, and none leaves the main actor, which all
// closures belong to.
extension SharedSequenceConvertibleType {
  /// The elements of all sequences that `selector` makes, merged.
  public func flatMap<Strategy: SharingStrategyProtocol, Result: Sendable>(
    _ selector: @escaping @MainActor (Element) -> SharedSequence<Strategy, Result>
  ) -> SharedSequence<Strategy, Result> {
    SharedSequence(source.flatMap(onMainActor(selector)))
  }

  /// The elements of the sequence that `selector` made last; the one before it is unsubscribed from.
  public func flatMapLatest<Strategy: SharingStrategyProtocol, Result: Sendable>(
    _ selector: @escaping @MainActor (Element) -> SharedSequence<Strategy, Result>
  ) -> SharedSequence<Strategy, Result> {
    SharedSequence(source.flatMapLatest(onMainActor(selector)))
  }

  /// The elements of the sequences that `selector` makes, one at a time: what arrives while one is running is ignored.
  public func flatMapFirst<Strategy: SharingStrategyProtocol, Result: Sendable>(
    _ selector: @escaping @MainActor (Element) -> SharedSequence<Strategy, Result>
  ) -> SharedSequence<Strategy, Result> {
    SharedSequence(source.flatMapFirst(onMainActor(selector)))
  }

  /// The elements of all `sources` as they come.
  public static func merge(
    _ sources: some Collection<SharedSequence<SharingStrategy, Element>>
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(.merge(sources.map(\.source)))
  }

  /// The elements of all `sources` as they come.
  public static func merge(
    _ sources: SharedSequence<SharingStrategy, Element>...
  ) -> SharedSequence<SharingStrategy, Element> {
    merge(sources)
  }

  /// The results of `resultSelector` for each element and the newest one of `second`; nothing before `second` has one.
  public func withLatestFrom<Second: SharedSequenceConvertibleType, Result: Sendable>(
    _ second: Second, resultSelector: @escaping @MainActor (Element, Second.Element) -> Result
  ) -> SharedSequence<SharingStrategy, Result> where Second.SharingStrategy == SharingStrategy {
    SharedSequence(source.withLatestFrom(second.source, resultSelector: onMainActor(resultSelector)))
  }

  /// The newest element of `second` each time that this sequence has one; nothing before `second` has one.
  public func withLatestFrom<Second: SharedSequenceConvertibleType>(
    _ second: Second
  ) -> SharedSequence<SharingStrategy, Second.Element> {
    SharedSequence(source.withLatestFrom(second.source))
  }
}

extension SharedSequenceConvertibleType where Element: SharedSequenceConvertibleType {
  /// The elements of the inner sequences as they come, of at most `maxConcurrent` at a time.
  public func merge(maxConcurrent: Int = .max) -> SharedSequence<Element.SharingStrategy, Element.Element> {
    SharedSequence(source.merge(maxConcurrent: maxConcurrent))
  }

  /// The elements of the newest inner sequence; the one before it is unsubscribed from.
  public func switchLatest() -> SharedSequence<Element.SharingStrategy, Element.Element> {
    SharedSequence(source.switchLatest())
  }
}

extension SharedSequence {
  /// The elements of the sources one after the other; a source is subscribed to when the one before it has completed.
  public static func concat(_ sequence: some Sequence<Self> & Sendable) -> Self {
    SharedSequence(.concat(sequence) { $0.source })
  }

  /// The results of `resultSelector` for the newest elements of all sources.
  public static func combineLatest<First: Sendable, each Other: Sendable>(
    _ first: SharedSequence<SharingStrategy, First>, _ other: repeat SharedSequence<SharingStrategy, each Other>,
    resultSelector: @escaping @MainActor (First, repeat each Other) -> Element
  ) -> Self {
    let selector: @Sendable (First, repeat each Other) throws -> Element = onMainActor(resultSelector)
    return SharedSequence(.combineLatest(first.source, repeat (each other).source, resultSelector: selector))
  }

  /// The results of `resultSelector` for the newest elements of `collection`'s sequences; without any for `[]`, once.
  public static func combineLatest<Result: Sendable>(
    _ collection: some Collection<Self>, resultSelector: @escaping @MainActor ([Element]) -> Result
  ) -> SharedSequence<SharingStrategy, Result> {
    .init(.combineLatest(collection.map(\.source), resultSelector: onMainActor(resultSelector)))
  }

  /// The newest elements of all `collection`'s sequences, in an array; `[]`, once, if there are none.
  public static func combineLatest(_ collection: some Collection<Self>) -> SharedSequence<SharingStrategy, [Element]> {
    combineLatest(collection) { $0 }
  }

  /// The results of `resultSelector` for each row of elements of all sources.
  public static func zip<First: Sendable, each Other: Sendable>(
    _ first: SharedSequence<SharingStrategy, First>, _ other: repeat SharedSequence<SharingStrategy, each Other>,
    resultSelector: @escaping @MainActor (First, repeat each Other) -> Element
  ) -> Self {
    let selector: @Sendable (First, repeat each Other) throws -> Element = onMainActor(resultSelector)
    return SharedSequence(.zip(first.source, repeat (each other).source, resultSelector: selector))
  }

  /// The results of `resultSelector` for each row of elements of all `collection`'s sequences.
  public static func zip<Result: Sendable>(
    _ collection: some Collection<Self>, resultSelector: @escaping @MainActor ([Element]) -> Result
  ) -> SharedSequence<SharingStrategy, Result> {
    .init(.zip(collection.map(\.source), resultSelector: onMainActor(resultSelector)))
  }

  /// Each row of elements of all `collection`'s sequences, in an array.
  public static func zip(_ collection: some Collection<Self>) -> SharedSequence<SharingStrategy, [Element]> {
    zip(collection) { $0 }
  }
}

extension SharedSequence where Element == any Sendable {
  /// The newest elements of all sources, in a tuple.
  public static func combineLatest<each Joined: Sendable>(
    _ sequence: repeat SharedSequence<SharingStrategy, each Joined>
  ) -> SharedSequence<SharingStrategy, (repeat each Joined)> {
    .init(Observable.combineLatest(repeat (each sequence).source))
  }

  /// Each row of elements of all sources, in a tuple.
  public static func zip<each Joined: Sendable>(
    _ sequence: repeat SharedSequence<SharingStrategy, each Joined>
  ) -> SharedSequence<SharingStrategy, (repeat each Joined)> {
    .init(Observable.zip(repeat (each sequence).source))
  }
}
