extension ObservableType {
  /// What `resultSelector` makes of the first elements of the sources, of their second ones, and so on; what it throws
  /// ends the sequence. Completes when all sources have; an error of one ends it (RxSwift's `zip`).
  public static func zip<each Source: ObservableConvertibleType>(
    _ source: repeat each Source,
    resultSelector: @escaping @Sendable (repeat (each Source).Element) throws -> Element
  ) -> Observable<Element> {
    .join(.sameIndex, repeat (each source).asObservable(), resultSelector: resultSelector)
  }

  /// As `zip(_:resultSelector:)`, of sources of one type. It also completes when an element comes after all the other
  /// sources have completed; of no sources it completes at once (RxSwift's `zip`).
  public static func zip<Sources: Collection>(
    _ collection: Sources, resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
  ) -> Observable<Element> where Sources.Element: ObservableConvertibleType {
    if collection.isEmpty { return .empty() }
    return .join(.sameIndexEager, collection.map { $0.asObservable() }, resultSelector: resultSelector)
  }

  /// The first elements of sources of one type, their second ones, and so on; see `zip(_:resultSelector:)` (RxSwift's
  /// `zip`).
  public static func zip<Sources: Collection>(_ collection: Sources) -> Observable<[Element]>
  where Sources.Element: ObservableConvertibleType, Sources.Element.Element == Element {
    .zip(collection) { $0 }
  }
}

extension ObservableType where Element == any Sendable {
  /// The elements with the same index as a tuple; see `zip(_:resultSelector:)` (RxSwift's `zip`).
  public static func zip<each Source: ObservableConvertibleType>(
    _ source: repeat each Source
  ) -> Observable<(repeat (each Source).Element)> {
    .join(.sameIndex, repeat (each source).asObservable()) {
      (element: repeat (each Source).Element) in
      (repeat each element)
    }
  }
}
