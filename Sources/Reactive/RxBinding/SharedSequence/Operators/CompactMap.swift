import Rx

extension SharedSequenceConvertibleType {
  /// The elements, each turned into what `selector` makes of it; those for which that is `nil` are left out.
  public func compactMap<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) -> Result?
  ) -> SharedSequence<SharingStrategy, Result> {
    SharedSequence(asObservable().compactMap(selector))
  }
}
