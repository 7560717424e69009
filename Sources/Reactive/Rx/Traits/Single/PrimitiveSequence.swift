/// A sequence of a kind that `Trait` names, which promises something about its events (RxSwift's
/// `PrimitiveSequence`). There is one kind here: ``Single``.
public struct PrimitiveSequence<Trait, Element: Sendable>: Sendable {
  let source: Observable<Element>

  init(raw: Observable<Element>) {
    source = raw
  }
}

/// What is, or stands for, a ``PrimitiveSequence`` (RxSwift's `PrimitiveSequenceType`).
public protocol PrimitiveSequenceType<Trait, Element>: Sendable {
  /// The kind of sequence.
  associatedtype Trait
  /// The type of the elements.
  associatedtype Element: Sendable

  /// The sequence.
  var primitiveSequence: PrimitiveSequence<Trait, Element> { get }
}

extension PrimitiveSequence: PrimitiveSequenceType {
  /// This sequence.
  public var primitiveSequence: PrimitiveSequence<Trait, Element> {
    self
  }
}

extension PrimitiveSequence: ObservableConvertibleType {
  /// The same sequence, its promise forgotten.
  public func asObservable() -> Observable<Element> {
    source
  }
}
