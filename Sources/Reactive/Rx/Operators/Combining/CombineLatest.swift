extension ObservableType {
  /// What `resultSelector` makes of the latest elements, whenever one of the sources has sent one and all have; what it
  /// throws ends the sequence. Completes when all sources have, or when one that sent nothing has completed and so have
  /// the others; an error of one ends it (RxSwift's `combineLatest`).
  public static func combineLatest<each Source: ObservableConvertibleType>(
    _ source: repeat each Source,
    resultSelector: @escaping @Sendable (repeat (each Source).Element) throws -> Element
  ) -> Observable<Element> {
    .join(.latest, repeat (each source).asObservable(), resultSelector: resultSelector)
  }

  /// As `combineLatest(_:resultSelector:)`, of sources of one type. Of no sources it sends what `resultSelector` makes
  /// of `[]`, and completes (RxSwift's `combineLatest`).
  public static func combineLatest<Sources: Collection>(
    _ collection: Sources, resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
  ) -> Observable<Element> where Sources.Element: ObservableConvertibleType {
    if collection.isEmpty { return .deferred { .just(try resultSelector([])) } }
    return .join(.latest, collection.map { $0.asObservable() }, resultSelector: resultSelector)
  }

  /// The latest elements of sources of one type; see `combineLatest(_:resultSelector:)`. Of no sources it sends `[]`,
  /// and completes (RxSwift's `combineLatest`).
  public static func combineLatest<Sources: Collection>(_ collection: Sources) -> Observable<[Element]>
  where Sources.Element: ObservableConvertibleType, Sources.Element.Element == Element {
    .combineLatest(collection) { $0 }
  }
}

extension ObservableType where Element == any Sendable {
  /// The latest elements as a tuple, whenever one of the sources has sent one and all have; see
  /// `combineLatest(_:resultSelector:)` (RxSwift's `combineLatest`).
  public static func combineLatest<each Source: ObservableConvertibleType>(
    _ source: repeat each Source
  ) -> Observable<(repeat (each Source).Element)> {
    .join(.latest, repeat (each source).asObservable()) {
      (element: repeat (each Source).Element) in
      (repeat each element)
    }
  }
}
