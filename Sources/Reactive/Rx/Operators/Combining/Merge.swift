extension ObservableType {
  /// The elements of all `sources`, as they come. Completes when all have; an error of one ends it (RxSwift's
  /// `merge`).
  public static func merge<Sources: Collection>(_ sources: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> {
    merge(Array(sources))
  }

  /// The elements of all `sources`, as they come. Completes when all have; an error of one ends it (RxSwift's
  /// `merge`).
  public static func merge(_ sources: [Observable<Element>]) -> Observable<Element> {
    OperatorProducer { downstream in
      MergeSink<Observable<Element>, Element>(downstream) { $0 }.connect(all: sources)
    }
  }

  /// The elements of all `sources`, as they come. Completes when all have; an error of one ends it (RxSwift's
  /// `merge`).
  public static func merge(_ sources: Observable<Element>...) -> Observable<Element> {
    merge(sources)
  }
}

extension ObservableType where Element: ObservableConvertibleType {
  /// The elements of all sequences that this one sends, as they come (RxSwift's `merge`).
  public func merge() -> Observable<Element.Element> {
    mergeMap { $0 }
  }

  /// The elements of all sequences that this one sends, of `maxConcurrent` at a time: the others wait for their turn
  /// (RxSwift's `merge(maxConcurrent:)`). If that is not positive, none is subscribed to.
  public func merge(maxConcurrent: Int) -> Observable<Element.Element> {
    mergeMap(limit: maxConcurrent) { $0 }
  }

  /// The elements of all sequences that this one sends, one sequence after the other (RxSwift's `concat`).
  public func concat() -> Observable<Element.Element> {
    merge(maxConcurrent: 1)
  }
}
