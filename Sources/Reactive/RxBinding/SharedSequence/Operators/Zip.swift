import Rx

extension SharedSequence {
  /// What `resultSelector` makes of each row of elements of all `collection`'s sequences.
  public static func zip<Sources: Collection, Result: Sendable>(
    _ collection: Sources, resultSelector: @escaping @Sendable ([Element]) -> Result
  ) -> SharedSequence<SharingStrategy, Result> where Sources.Element == SharedSequence<SharingStrategy, Element> {
    SharedSequence<SharingStrategy, Result>(
      Observable.zip(collection.map { $0.asObservable() }, resultSelector: resultSelector))
  }

  /// Each row of elements of all `collection`'s sequences, in an array.
  public static func zip<Sources: Collection>(
    _ collection: Sources
  ) -> SharedSequence<SharingStrategy, [Element]> where Sources.Element == SharedSequence<SharingStrategy, Element> {
    zip(collection) { $0 }
  }
}
