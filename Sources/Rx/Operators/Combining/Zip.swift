extension ObservableType {
  /// What `resultSelector` makes of the first elements of the sources, of their second ones, and so on; what it throws
  /// ends the sequence. Completes when all sources have, or when an element comes after all the others have; an error of
  /// one ends it (RxSwift's `zip`).
  public static func zip<Sources: Collection>(
    _ collection: Sources, resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
  ) -> Observable<Element> where Sources.Element: ObservableType {
    let sources = collection.map { $0.asObservable() }
    return OperatorProducer { downstream in
      ListJoinSink(downstream, .sameIndexEager, resultSelector).connect(sources)
    }
  }

  /// The first elements of the sources, their second ones, and so on; see ``zip(_:resultSelector:)`` (RxSwift's
  /// `zip`).
  public static func zip<Sources: Collection>(_ collection: Sources) -> Observable<[Element]>
  where Sources.Element: ObservableType, Sources.Element.Element == Element {
    .zip(collection) { $0 }
  }
}

func joinZip<Output: Sendable, each Element: Sendable>(
  _ source: repeat Observable<each Element>, by selector: @escaping @Sendable (repeat each Element) throws -> Output
) -> Observable<Output> {
  let sources = (repeat each source)
  return OperatorProducer { downstream in
    TupleJoinSink(downstream, .sameIndex, selector).connect(repeat each sources)
  }
}
