// The first sequence and the closure's first argument are written out. Where all of them are `repeat each`, the compiler needs
// seconds for `{ $0 + $1 + … }` of five, and gives one of six up. The other kinds of sequences do the same.
extension ObservableType {
  /// The results of `resultSelector` for the latest elements, at each element once all sources have one; its error ends
  /// the sequence. Completes when all sources have, or when one that sent nothing has completed and so have the others;
  /// an error of one ends it (RxSwift).
  @_disfavoredOverload
  public static func combineLatest<First: ObservableConvertibleType, each Other: ObservableConvertibleType>(
    _ first: First, _ other: repeat each Other,
    resultSelector: @escaping @Sendable (First.Element, repeat (each Other).Element) throws -> Element
  ) -> Observable<Element> {
    .join(.latest, first.asObservable(), repeat (each other).asObservable(), resultSelector: resultSelector)
  }

  /// As `combineLatest(_:resultSelector:)`, of sources of one type. Without any it sends the result for `[]` (RxSwift).
  public static func combineLatest<Sources: Collection>(
    _ collection: Sources, resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
  ) -> Observable<Element> where Sources.Element: ObservableConvertibleType {
    if collection.isEmpty { return .deferred { .just(try resultSelector([])) } }
    return .join(.latest, collection.map { $0.asObservable() }, resultSelector: resultSelector)
  }

  /// The latest elements of sources of one type, as an array. Without any it sends `[]`, and completes (RxSwift).
  public static func combineLatest<Sources: Collection>(_ collection: Sources) -> Observable<[Element]>
  where Sources.Element: ObservableConvertibleType, Sources.Element.Element == Element {
    .combineLatest(collection) { $0 }
  }
}

extension ObservableType where Element == any Sendable {
  /// The latest elements as a tuple, at each element once all sources have one (RxSwift).
  public static func combineLatest<each Source: ObservableConvertibleType>(
    _ source: repeat each Source
  ) -> Observable<(repeat (each Source).Element)> {
    .join(.latest, repeat (each source).asObservable()) {
      (element: repeat (each Source).Element) in
      (repeat each element)
    }
  }
}

extension ObservableType {
  /// The results of `resultSelector` for the first elements of the sources, of their second ones, and so on; its error
  /// ends the sequence. Completes when all sources have; an error of one ends it (RxSwift).
  @_disfavoredOverload
  public static func zip<First: ObservableConvertibleType, each Other: ObservableConvertibleType>(
    _ first: First, _ other: repeat each Other,
    resultSelector: @escaping @Sendable (First.Element, repeat (each Other).Element) throws -> Element
  ) -> Observable<Element> {
    .join(.sameIndex, first.asObservable(), repeat (each other).asObservable(), resultSelector: resultSelector)
  }

  /// As `zip(_:resultSelector:)`, of sources of one type. It also completes when an element comes after all the other
  /// sources have completed; of no sources it completes at once (RxSwift).
  public static func zip<Sources: Collection>(
    _ collection: Sources, resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
  ) -> Observable<Element> where Sources.Element: ObservableConvertibleType {
    if collection.isEmpty { return .empty() }
    return .join(.sameIndexEager, collection.map { $0.asObservable() }, resultSelector: resultSelector)
  }

  /// The first elements of sources of one type, their second ones, and so on; see `zip(_:resultSelector:)` (RxSwift).
  public static func zip<Sources: Collection>(_ collection: Sources) -> Observable<[Element]>
  where Sources.Element: ObservableConvertibleType, Sources.Element.Element == Element { .zip(collection) { $0 } }
}

extension ObservableType where Element == any Sendable {
  /// The elements with the same index as a tuple (RxSwift).
  public static func zip<each Source: ObservableConvertibleType>(
    _ source: repeat each Source
  ) -> Observable<(repeat (each Source).Element)> {
    .join(.sameIndex, repeat (each source).asObservable()) {
      (element: repeat (each Source).Element) in
      (repeat each element)
    }
  }
}
