extension ObservableType {
  /// The elements that satisfy `predicate`; its error ends the sequence (RxSwift).
  public func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
    stage { stage, element in
      if try predicate(element) { stage.send(element) }
    }
  }

  // In a chain of eight closures the compiler needs minutes to rule this form out for `{ $0 == $1 }`, unless it tries the
  // one with two arguments first. The other kinds of sequences and `bind` do the same.

  /// The elements whose key differs from that of the one before (RxSwift). An error of `keySelector` ends the sequence.
  @_disfavoredOverload
  public func distinctUntilChanged<Key: Equatable & Sendable>(
    _ keySelector: @escaping @Sendable (Element) throws -> Key
  ) -> Observable<Element> {
    distinctUntilChanged(keySelector, comparer: { $0 == $1 })
  }

  /// The elements that `comparer` finds different from the last one that passed (RxSwift). Its error ends the sequence.
  public func distinctUntilChanged(
    _ comparer: @escaping @Sendable (Element, Element) throws -> Bool
  ) -> Observable<Element> {
    distinctUntilChanged({ $0 }, comparer: comparer)
  }

  /// The elements whose key `comparer` finds different from the last one's. An error of either ends the sequence
  /// (RxSwift).
  public func distinctUntilChanged<Key: Sendable>(
    _ keySelector: @escaping @Sendable (Element) throws -> Key,
    comparer: @escaping @Sendable (Key, Key) throws -> Bool
  ) -> Observable<Element> {
    stage(Key?.none) { stage, element in
      let key = try keySelector(element)
      if let last = stage.state, try comparer(last, key) { return }
      stage.state = key
      stage.send(element)
    }
  }

  // A function takes a key path as well. As a `KeyPath` the compiler would try this form for every closure that follows
  // the call, and need minutes in a chain of closures.

  /// The elements whose property `key`, such as `\.name`, differs from that of the one before (RxSwift).
  @_disfavoredOverload
  public func distinctUntilChanged<Property: Equatable & Sendable>(
    at key: @escaping @Sendable (Element) -> Property
  ) -> Observable<Element> {
    distinctUntilChanged { key($0) == key($1) }
  }
}

extension ObservableType where Element: Equatable {
  /// The elements that differ from the one before (RxSwift).
  public func distinctUntilChanged() -> Observable<Element> { distinctUntilChanged({ $0 }, comparer: { $0 == $1 }) }
}
