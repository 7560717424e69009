import Rx

extension SharedSequence {
  /// The elements of the sources one after the other; a source is subscribed to when the one before it has completed.
  public static func concat<Sources: Sequence & Sendable>(
    _ sequence: Sources
  ) -> SharedSequence<SharingStrategy, Element> where Sources.Element == SharedSequence<SharingStrategy, Element> {
    SharedSequence(Observable.concat(ObservableSequence(sources: sequence)))
  }

  /// The elements of the sources one after the other; a source is subscribed to when the one before it has completed.
  public static func concat<Sources: Collection>(
    _ collection: Sources
  ) -> SharedSequence<SharingStrategy, Element> where Sources.Element == SharedSequence<SharingStrategy, Element> {
    SharedSequence(Observable.concat(collection.map { $0.asObservable() }))
  }
}

/// The sources as ordinary sequences, one at a time: there may be no end of them.
private struct ObservableSequence<Sources: Sequence & Sendable>: Sequence, Sendable
where Sources.Element: ObservableConvertibleType {
  let sources: Sources

  func makeIterator() -> some IteratorProtocol<Observable<Sources.Element.Element>> {
    sources.lazy.map { $0.asObservable() }.makeIterator()
  }
}
