/// Something that can be turned into an observable sequence (RxSwift's `ObservableConvertibleType`).
public protocol ObservableConvertibleType<Element>: Sendable {
  /// The type of the elements in the sequence.
  associatedtype Element: Sendable

  /// The sequence.
  func asObservable() -> Observable<Element>
}

/// A sequence of events that can be subscribed to (RxSwift's `ObservableType`).
public protocol ObservableType<Element>: ObservableConvertibleType {
  /// Subscribes `observer` to the events of this sequence.
  ///
  /// Nothing is sent to `observer` after an `error` or `completed`, nor after the returned disposable was disposed,
  /// and its `on` is never called twice at the same time.
  func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Element
}

extension ObservableType {
  /// This sequence with its type erased.
  public func asObservable() -> Observable<Element> {
    Observable.create { self.subscribe($0) }
  }
}
