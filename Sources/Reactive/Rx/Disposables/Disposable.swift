/// Something that can be ended: a subscription, a scheduled action, a resource (RxSwift's `Disposable`).
public protocol Disposable: Sendable {
  /// Ends it. May be called on any thread and any number of times; only the first call has an effect.
  func dispose()
}

/// A disposable that can tell whether it was disposed (RxSwift's `Cancelable`).
public protocol Cancelable: Disposable {
  /// Whether `dispose()` was called.
  var isDisposed: Bool { get }
}
