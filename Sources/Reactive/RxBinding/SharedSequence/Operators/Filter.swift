import Rx

extension SharedSequenceConvertibleType {
  /// The elements that `predicate` accepts.
  public func filter(
    _ predicate: @escaping @Sendable (Element) -> Bool
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(asObservable().filter(predicate))
  }
}
