extension ObservableType {
  /// What `resultSelector` makes of the first elements of the sources, of their second ones, and so on; what it throws
  /// ends the sequence. Completes when all sources have, or when an element comes after all the others have; an error of
  /// one ends it (RxSwift's `zip`).
  public static func zip<Sources: Collection>(
    _ collection: Sources, resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
  ) -> Observable<Element> where Sources.Element: ObservableType {
    let sources = Array(collection)
    return .join(.sameIndexEager) { inputs in
      let slots = sources.map { inputs.add($0) }
      return { try resultSelector(slots.map { try $0.take() }) }
    }
  }

  /// The first elements of the sources, their second ones, and so on; see ``zip(_:resultSelector:)`` (RxSwift's
  /// `zip`).
  public static func zip<Sources: Collection>(_ collection: Sources) -> Observable<[Element]>
  where Sources.Element: ObservableType, Sources.Element.Element == Element {
    .zip(collection) { $0 }
  }
}
