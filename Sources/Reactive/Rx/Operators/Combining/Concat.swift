extension ObservableType {
  /// `elements`, sent on subscription, and then this sequence (RxSwift's `startWith`).
  public func startWith(_ elements: Element...) -> Observable<Element> {
    let source = asObservable()
    return Observable { downstream in
      for element in elements {
        downstream.next(element)
      }
      return source.subscribe(downstream)
    }
  }

  /// This sequence, and when it has completed, `second` (RxSwift's `concat`).
  public func concat<Source: ObservableConvertibleType>(_ second: Source) -> Observable<Element>
  where Source.Element == Element {
    .concat([asObservable(), second.asObservable()])
  }

  /// One sequence after the other, each when the one before has completed; the next one is not asked for before that
  /// (RxSwift's `concat`).
  public static func concat<Sources: Sequence & Sendable>(_ sequence: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> {
    Succession(.afterCompletion, sequence).asObservable()
  }

  /// One sequence after the other, each when the one before has completed (RxSwift's `concat`).
  public static func concat<Sources: Collection & Sendable>(_ collection: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> {
    Succession(.afterCompletion, collection, count: collection.count).asObservable()
  }

  /// One sequence after the other, each when the one before has completed (RxSwift's `concat`).
  public static func concat(_ sources: Observable<Element>...) -> Observable<Element> {
    concat(sources)
  }
}
