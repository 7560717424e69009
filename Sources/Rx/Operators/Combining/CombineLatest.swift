extension ObservableType {
  /// What `resultSelector` makes of the latest elements, whenever one of the sources has sent one and all have; what it
  /// throws ends the sequence. Completes when all sources have, or when one that sent nothing has completed and so have
  /// the others; an error of one ends it (RxSwift's `combineLatest`).
  public static func combineLatest<Sources: Collection>(
    _ collection: Sources, resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
  ) -> Observable<Element> where Sources.Element: ObservableType {
    let sources = collection.map { $0.asObservable() }
    return OperatorProducer { downstream in
      ListJoinSink(downstream, .latest, resultSelector).connect(sources)
    }
  }

  /// The latest elements, whenever one of the sources has sent one and all have; see
  /// ``combineLatest(_:resultSelector:)`` (RxSwift's `combineLatest`).
  public static func combineLatest<Sources: Collection>(_ collection: Sources) -> Observable<[Element]>
  where Sources.Element: ObservableType, Sources.Element.Element == Element {
    .combineLatest(collection) { $0 }
  }
}

func joinCombineLatest<Output: Sendable, each Element: Sendable>(
  _ source: repeat Observable<each Element>, by selector: @escaping @Sendable (repeat each Element) throws -> Output
) -> Observable<Output> {
  let sources = (repeat each source)
  return OperatorProducer { downstream in
    TupleJoinSink(downstream, .latest, selector).connect(repeat each sources)
  }
}
