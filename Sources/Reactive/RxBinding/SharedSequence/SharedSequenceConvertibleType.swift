import Rx

/// Something that can be turned into a ``SharedSequence`` (RxCocoa's `SharedSequenceConvertibleType`).
public protocol SharedSequenceConvertibleType<Element>: ObservableConvertibleType {
  /// Where the sequence delivers, and how it is shared.
  associatedtype SharingStrategy: SharingStrategyProtocol

  /// The sequence.
  func asSharedSequence() -> SharedSequence<SharingStrategy, Element>
}

extension SharedSequenceConvertibleType {
  /// The elements as an ordinary sequence.
  public func asObservable() -> Observable<Element> {
    asSharedSequence().asObservable()
  }
}
