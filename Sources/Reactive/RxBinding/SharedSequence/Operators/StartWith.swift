import Rx

extension SharedSequenceConvertibleType {
  /// `element`, then the elements of this sequence.
  public func startWith(_ element: Element) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(asObservable().startWith(element))
  }
}
