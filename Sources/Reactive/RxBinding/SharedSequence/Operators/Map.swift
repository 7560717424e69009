import Rx

extension SharedSequenceConvertibleType {
  /// The elements, each turned into what `selector` makes of it.
  public func map<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) -> Result
  ) -> SharedSequence<SharingStrategy, Result> {
    SharedSequence(asObservable().map(selector))
  }
}
