extension ObservableType {
  /// What `resultSelector` makes of the latest elements, whenever one of the sources has sent one and all have; what it
  /// throws ends the sequence. Completes when all sources have, or when one that sent nothing has completed and so have
  /// the others; an error of one ends it (RxSwift's `combineLatest`).
  public static func combineLatest<Sources: Collection>(
    _ collection: Sources, resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
  ) -> Observable<Element> where Sources.Element: ObservableType {
    let sources = Array(collection)
    return .join(.latest) { inputs in
      let slots = sources.map { inputs.add($0) }
      return { try resultSelector(slots.map { try $0.take() }) }
    }
  }

  /// The latest elements, whenever one of the sources has sent one and all have; see
  /// ``combineLatest(_:resultSelector:)`` (RxSwift's `combineLatest`).
  public static func combineLatest<Sources: Collection>(_ collection: Sources) -> Observable<[Element]>
  where Sources.Element: ObservableType, Sources.Element.Element == Element {
    .combineLatest(collection) { $0 }
  }
}
