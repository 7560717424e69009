/// The elements of a sequence that have one key (RxSwift's `GroupedObservable`).
public struct GroupedObservable<Key: Sendable, Element: Sendable>: ObservableType {
  /// The key of the elements.
  public let key: Key

  private let source: Observable<Element>

  /// A group of what `source` sends.
  public init(key: Key, source: Observable<Element>) {
    self.key = key
    self.source = source
  }

  /// Subscribes `observer` to the elements of the group that come from now on.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element {
    source.subscribe(observer)
  }

  /// The elements of the group.
  public func asObservable() -> Observable<Element> {
    source
  }
}
