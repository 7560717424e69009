extension ObservableType where Element: Equatable {
  /// The elements that differ from the one before (RxSwift's `distinctUntilChanged`).
  public func distinctUntilChanged() -> Observable<Element> {
    distinctUntilChanged({ $0 }, comparer: { $0 == $1 })
  }
}

extension ObservableType {
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
    lift { DistinctSink($0, keySelector, comparer) }
  }

  /// The elements whose property at `keyPath` differs from that of the one before (RxSwift's
  /// `distinctUntilChanged(at:)`).
  public func distinctUntilChanged<Property: Equatable & SendableMetatype>(
    at keyPath: any KeyPath<Element, Property> & Sendable
  ) -> Observable<Element> {
    distinctUntilChanged { $0[keyPath: keyPath] == $1[keyPath: keyPath] }
  }
}

/// `@unchecked Sendable`: see ``FinishingSink``.
private final class DistinctSink<Element: Sendable, Key: Sendable>: FinishingSink<Element, Element>,
  @unchecked Sendable
{
  private let keySelector: @Sendable (Element) throws -> Key
  private let comparer: @Sendable (Key, Key) throws -> Bool
  private var last: Key?

  init(
    _ downstream: Sink<Element>, _ keySelector: @escaping @Sendable (Element) throws -> Key,
    _ comparer: @escaping @Sendable (Key, Key) throws -> Bool
  ) {
    self.keySelector = keySelector
    self.comparer = comparer
    super.init(downstream)
  }

  override func next(_ element: Element) {
    guard !isDisposed else { return }
    do {
      let key = try keySelector(element)
      if let last, try comparer(last, key) { return }
      last = key
      downstream.next(element)
    } catch {
      finish(error)
    }
  }
}
