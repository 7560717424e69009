extension PrimitiveSequenceType where Trait == SingleTrait {
  /// A single of what `resultSelector` makes of all elements, when they are there (RxSwift's `zip`). Of no singles it is
  /// made at once.
  public static func zip<Singles: Collection, Result: Sendable>(
    _ collection: Singles, resultSelector: @escaping @Sendable ([Element]) throws -> Result
  ) -> PrimitiveSequence<Trait, Result> where Singles.Element == PrimitiveSequence<Trait, Element> {
    if collection.isEmpty {
      return PrimitiveSequence<Trait, Result>.deferred {
        PrimitiveSequence<Trait, Result>(raw: .just(try resultSelector([])))
      }
    }
    return PrimitiveSequence<Trait, Result>(
      raw: .zip(collection.map { $0.asObservable() }, resultSelector: resultSelector))
  }

  /// A single of all elements, when they are there (RxSwift's `zip`). Of no singles it is `[]`.
  public static func zip<Singles: Collection>(
    _ collection: Singles
  ) -> PrimitiveSequence<Trait, [Element]> where Singles.Element == PrimitiveSequence<Trait, Element> {
    zip(collection) { $0 }
  }
}
