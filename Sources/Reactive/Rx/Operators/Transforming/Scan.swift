extension ObservableType {
  /// The results of `accumulator` for `seed` and the elements so far; its error ends the sequence (RxSwift). The
  /// closure changes the value in place, so it must not send into the source itself.
  public func scan<Accumulated: Sendable>(
    into seed: Accumulated, accumulator: @escaping @Sendable (inout Accumulated, Element) throws -> Void
  ) -> Observable<Accumulated> {
    stage(seed) { stage, element in
      // In place, as a collection that grows must not be copied at each element.
      try accumulator(&stage.state, element)
      stage.send(stage.state)
    }
  }

  /// The results of `accumulator` for `seed` and the elements so far; its error ends the sequence (RxSwift).
  public func scan<Accumulated: Sendable>(
    _ seed: Accumulated, accumulator: @escaping @Sendable (Accumulated, Element) throws -> Accumulated
  ) -> Observable<Accumulated> {
    stage(seed) { stage, element in
      let accumulated = try accumulator(stage.state, element)
      stage.state = accumulated
      stage.send(accumulated)
    }
  }

  /// `mapResult` of the result of `accumulator` for all elements. An error of either ends the sequence (RxSwift).
  public func reduce<Accumulated: Sendable, Result: Sendable>(
    _ seed: Accumulated, accumulator: @escaping @Sendable (Accumulated, Element) throws -> Accumulated,
    mapResult: @escaping @Sendable (Accumulated) throws -> Result
  ) -> Observable<Result> {
    stage(seed, atEnd: { $0.send(try mapResult($0.state)) }) { stage, element in
      stage.state = try accumulator(stage.state, element)
    }
  }

  /// The result of `accumulator` for `seed` and all elements. Its error ends the sequence (RxSwift).
  public func reduce<Accumulated: Sendable>(
    _ seed: Accumulated, accumulator: @escaping @Sendable (Accumulated, Element) throws -> Accumulated
  ) -> Observable<Accumulated> {
    reduce(seed, accumulator: accumulator, mapResult: { $0 })
  }

  /// A single of all elements (RxSwift).
  public func toArray() -> Single<[Element]> {
    PrimitiveSequence(raw: stage([], atEnd: { $0.send($0.state) }, step: { $0.state.append($1) }))
  }
}
