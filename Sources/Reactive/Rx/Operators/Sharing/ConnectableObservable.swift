/// A sequence that starts when it is told to, not when it is subscribed to (RxSwift's `ConnectableObservableType`).
public protocol ConnectableObservableType<Element>: ObservableType {
  /// Subscribes to the source; what it returns ends that.
  func connect() -> any Disposable
}

/// A sequence that starts when it is told to (RxSwift's `ConnectableObservable`).
///
/// `@unchecked Sendable`: subclasses guard their state.
public class ConnectableObservable<Element: Sendable>: Observable<Element>, ConnectableObservableType,
  @unchecked Sendable
{
  /// Subscribes to the source; what it returns ends that.
  public func connect() -> any Disposable {
    preconditionFailure("a connectable observable overrides connect")
  }
}
