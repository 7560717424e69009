import Rx

extension SharedSequenceConvertibleType {
  /// What `accumulator` makes of its last result and each element, beginning with `seed`.
  public func scan<Accumulated: Sendable>(
    _ seed: Accumulated, accumulator: @escaping @Sendable (Accumulated, Element) -> Accumulated
  ) -> SharedSequence<SharingStrategy, Accumulated> {
    SharedSequence(asObservable().scan(seed, accumulator: accumulator))
  }
}
