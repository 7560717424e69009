import Rx

// The operators that only shared sequences have. None of them can fail, and none leaves the main actor, which all
// closures belong to.
extension SharedSequenceConvertibleType {
  /// The elements of all sequences that `selector` makes, merged.
  public func flatMap<Strategy: SharingStrategyProtocol, Result: Sendable>(
    _ selector: @escaping @MainActor (Element) -> SharedSequence<Strategy, Result>
  ) -> SharedSequence<Strategy, Result> {
    SharedSequence(source.flatMap(onMainActor(selector)))
  }

  /// The elements of the sequence that `selector` made last; the one before it is unsubscribed from.
  public func flatMapLatest<Strategy: SharingStrategyProtocol, Result: Sendable>(
    _ selector: @escaping @MainActor (Element) -> SharedSequence<Strategy, Result>
  ) -> SharedSequence<Strategy, Result> {
    SharedSequence(source.flatMapLatest(onMainActor(selector)))
  }

  /// The elements of the sequences that `selector` makes, one at a time: what arrives while one is running is ignored.
  public func flatMapFirst<Strategy: SharingStrategyProtocol, Result: Sendable>(
    _ selector: @escaping @MainActor (Element) -> SharedSequence<Strategy, Result>
  ) -> SharedSequence<Strategy, Result> {
    SharedSequence(source.flatMapFirst(onMainActor(selector)))
  }
}
