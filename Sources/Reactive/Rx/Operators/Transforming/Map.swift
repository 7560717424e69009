extension ObservableType {
  /// A sequence of what `transform` makes of each element; what it throws ends the sequence (RxSwift's `map`).
  public func map<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) throws -> Result
  ) -> Observable<Result> {
    stage { $0.send(try transform($1)) }
  }

  /// A sequence of what `transform` makes of each element, without the `nil`s; what it throws ends the sequence
  /// (RxSwift's `compactMap`).
  public func compactMap<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) throws -> Result?
  ) -> Observable<Result> {
    stage { stage, element in
      if let result = try transform(element) { stage.send(result) }
    }
  }

  /// A sequence of the elements, each with its index (RxSwift's `enumerated`).
  public func enumerated() -> Observable<(index: Int, element: Element)> {
    stage(0) { stage, element in
      let index = stage.state
      stage.state = index + 1
      stage.send((index, element))
    }
  }

  /// What `resultSelector` makes of `object` and each element. The object is held weakly: the sequence completes at the
  /// first element after it has gone (RxSwift's `withUnretained(_:resultSelector:)`).
  public func withUnretained<Object: AnyObject & Sendable, Output: Sendable>(
    _ object: Object, resultSelector: @escaping @Sendable ((Object, Element)) -> Output
  ) -> Observable<Output> {
    stage { [weak object] stage, element in
      if let object {
        stage.send(resultSelector((object, element)))
      } else {
        stage.finish()
      }
    }
  }

  /// `object` with each element. The object is held weakly: the sequence completes at the first element after it has
  /// gone (RxSwift's `withUnretained(_:)`).
  public func withUnretained<Object: AnyObject & Sendable>(_ object: Object) -> Observable<(Object, Element)> {
    withUnretained(object) { $0 }
  }
}
