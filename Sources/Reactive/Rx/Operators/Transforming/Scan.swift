extension ObservableType {
  /// A sequence of what `accumulator` has made of `seed` after each element; what it throws ends the sequence
  /// (RxSwift's `scan(into:accumulator:)`).
  public func scan<Accumulated: Sendable>(
    into seed: Accumulated, accumulator: @escaping @Sendable (inout Accumulated, Element) throws -> Void
  ) -> Observable<Accumulated> {
    lift { ScanSink($0, seed: seed, accumulator: accumulator) }
  }

  /// A sequence of what `accumulator` has made of `seed` after each element; what it throws ends the sequence
  /// (RxSwift's `scan(_:accumulator:)`).
  public func scan<Accumulated: Sendable>(
    _ seed: Accumulated, accumulator: @escaping @Sendable (Accumulated, Element) throws -> Accumulated
  ) -> Observable<Accumulated> {
    scan(into: seed) { $0 = try accumulator($0, $1) }
  }
}

/// `@unchecked Sendable`: see ``FinishingSink``.
private final class ScanSink<Input: Sendable, Output: Sendable>: FinishingSink<Input, Output>, @unchecked Sendable {
  private let accumulator: @Sendable (inout Output, Input) throws -> Void
  private var accumulated: Output

  init(
    _ downstream: Sink<Output>, seed: Output, accumulator: @escaping @Sendable (inout Output, Input) throws -> Void
  ) {
    self.accumulator = accumulator
    accumulated = seed
    super.init(downstream)
  }

  override func next(_ element: Input) {
    guard !isDisposed else { return }
    do {
      try accumulator(&accumulated, element)
      downstream.next(accumulated)
    } catch {
      finish(error)
    }
  }
}
