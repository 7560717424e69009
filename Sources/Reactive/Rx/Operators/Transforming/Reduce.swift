extension ObservableType {
  /// A sequence of one element: what `mapResult` makes of what `accumulator` has made of `seed` and all elements. What
  /// either throws ends the sequence (RxSwift's `reduce(_:accumulator:mapResult:)`).
  public func reduce<Accumulated: Sendable, Result: Sendable>(
    _ seed: Accumulated, accumulator: @escaping @Sendable (Accumulated, Element) throws -> Accumulated,
    mapResult: @escaping @Sendable (Accumulated) throws -> Result
  ) -> Observable<Result> {
    lift { ReduceSink($0, seed: seed, accumulator: { $0 = try accumulator($0, $1) }, mapResult: mapResult) }
  }

  /// A sequence of one element: what `accumulator` has made of `seed` and all elements. What it throws ends the
  /// sequence (RxSwift's `reduce(_:accumulator:)`).
  public func reduce<Accumulated: Sendable>(
    _ seed: Accumulated, accumulator: @escaping @Sendable (Accumulated, Element) throws -> Accumulated
  ) -> Observable<Accumulated> {
    reduce(seed, accumulator: accumulator, mapResult: { $0 })
  }

  /// A single of all elements (RxSwift's `toArray`).
  public func toArray() -> Single<[Element]> {
    PrimitiveSequence(
      raw: lift { ReduceSink($0, seed: [], accumulator: { $0.append($1) }, mapResult: { $0 }) })
  }
}

/// `@unchecked Sendable`: see ``FinishingSink``.
private final class ReduceSink<Input: Sendable, Accumulated: Sendable, Output: Sendable>:
  FinishingSink<Input, Output>, @unchecked Sendable
{
  private let accumulator: @Sendable (inout Accumulated, Input) throws -> Void
  private let mapResult: @Sendable (Accumulated) throws -> Output
  private var accumulated: Accumulated

  init(
    _ downstream: Sink<Output>, seed: Accumulated,
    accumulator: @escaping @Sendable (inout Accumulated, Input) throws -> Void,
    mapResult: @escaping @Sendable (Accumulated) throws -> Output
  ) {
    self.accumulator = accumulator
    self.mapResult = mapResult
    accumulated = seed
    super.init(downstream)
  }

  override func next(_ element: Input) {
    guard !isDisposed else { return }
    do {
      try accumulator(&accumulated, element)
    } catch {
      finish(error)
    }
  }

  override func completed() {
    guard !isDisposed else { return }
    do {
      downstream.next(try mapResult(accumulated))
      finish()
    } catch {
      finish(error)
    }
  }
}
