import Rx

extension SharedSequenceConvertibleType where Element: SharedSequenceConvertibleType {
  /// The elements of the newest inner sequence; the one before it is unsubscribed from.
  public func switchLatest() -> SharedSequence<Element.SharingStrategy, Element.Element> {
    SharedSequence(asObservable().switchLatest())
  }
}
