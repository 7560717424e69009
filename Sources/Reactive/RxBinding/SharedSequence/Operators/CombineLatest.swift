import Rx

extension SharedSequence {
  /// What `resultSelector` makes of the newest elements of all `collection`'s sequences.
  public static func combineLatest<Sources: Collection, Result: Sendable>(
    _ collection: Sources, resultSelector: @escaping @Sendable ([Element]) -> Result
  ) -> SharedSequence<SharingStrategy, Result> where Sources.Element == SharedSequence<SharingStrategy, Element> {
    SharedSequence<SharingStrategy, Result>(
      Observable.combineLatest(collection.map { $0.asObservable() }, resultSelector: resultSelector))
  }

  /// The newest elements of all `collection`'s sequences, in an array.
  public static func combineLatest<Sources: Collection>(
    _ collection: Sources
  ) -> SharedSequence<SharingStrategy, [Element]> where Sources.Element == SharedSequence<SharingStrategy, Element> {
    combineLatest(collection) { $0 }
  }
}
