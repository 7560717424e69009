extension ObservableType {
  /// Merges the sequences that `selector` makes of the elements; what it throws ends the sequence (RxSwift's
  /// `flatMap`).
  public func flatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    mergeMap(selector)
  }

  /// Like `flatMap`, but ignores elements while the sequence of an earlier one goes on (RxSwift's
  /// `flatMapFirst`).
  public func flatMapFirst<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    mergeMap(limit: 1, excess: .isDropped, selector)
  }

  /// Like `flatMap`, but one after the other: a sequence is subscribed to when the one before it has
  /// completed (RxSwift's `concatMap`).
  public func concatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    mergeMap(limit: 1, selector)
  }

  func mergeMap<Source: ObservableConvertibleType>(
    limit: Int = .max, excess: MergeSink<Element, Source.Element>.Excess = .waits,
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    let source = asObservable()
    return OperatorProducer { downstream in
      MergeSink(downstream, limit: limit, excess: excess) { try selector($0).asObservable() }.connect(source)
    }
  }
}
