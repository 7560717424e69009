import Rx

extension SharedSequenceConvertibleType {
  /// The elements but the first `count`.
  public func skip(_ count: Int) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(asObservable().skip(count))
  }
}
