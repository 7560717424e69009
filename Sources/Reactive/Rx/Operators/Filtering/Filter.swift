extension ObservableType {
  /// A sequence of the elements that satisfy `predicate`; what it throws ends the sequence (RxSwift's `filter`).
  public func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
    stage { stage, element in
      if try predicate(element) { stage.send(element) }
    }
  }

  /// The elements whose key differs from that of the one before (RxSwift's `distinctUntilChanged(_:)`). What
  /// `keySelector` throws ends the sequence.
  public func distinctUntilChanged<Key: Equatable & Sendable>(
    _ keySelector: @escaping @Sendable (Element) throws -> Key
  ) -> Observable<Element> {
    distinctUntilChanged(keySelector, comparer: { $0 == $1 })
  }

  /// The elements that `comparer` does not find equal to the last one that passed (RxSwift's
  /// `distinctUntilChanged(_:)`). What it throws ends the sequence.
  public func distinctUntilChanged(
    _ comparer: @escaping @Sendable (Element, Element) throws -> Bool
  ) -> Observable<Element> {
    distinctUntilChanged({ $0 }, comparer: comparer)
  }

  /// The elements whose key `comparer` does not find equal to that of the last one that passed (RxSwift's
  /// `distinctUntilChanged(_:comparer:)`). What either throws ends the sequence.
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

  /// The elements whose property at `keyPath` differs from that of the one before (RxSwift's
  /// `distinctUntilChanged(at:)`).
  public func distinctUntilChanged<Property: Equatable & SendableMetatype>(
    at keyPath: any KeyPath<Element, Property> & Sendable
  ) -> Observable<Element> {
    distinctUntilChanged { $0[keyPath: keyPath] == $1[keyPath: keyPath] }
  }
}

extension ObservableType where Element: Equatable {
  /// The elements that differ from the one before (RxSwift's `distinctUntilChanged`).
  public func distinctUntilChanged() -> Observable<Element> {
    distinctUntilChanged({ $0 }, comparer: { $0 == $1 })
  }
}
