/// An object between another object and its delegate, such as a delegate proxy.
///
/// Swift has no associated objects, so the observed object has a property for it. That property is a strong reference.
/// The observer must therefore hold the object weakly, or neither is ever released.
@MainActor
public protocol DelegateObserver: AnyObject {
  /// The object's `delegate` was set. This is not called when a released delegate makes the weak reference `nil`.
  func delegateDidChange()
}

/// An object that may have an observer between it and its delegate.
@MainActor
public protocol DelegateObservable: AnyObject {
  /// The observer, held strongly.
  var delegateObserver: (any DelegateObserver)? { get set }
}

/// A delegate that forwards to another delegate behind it, such as a delegate proxy.
///
/// For methods that it does not implement, the default implementation calls the delegate behind it, so no call is lost.
@MainActor
public protocol DelegateForwarder: AnyObject {
  /// The delegate behind this one.
  ///
  /// - Parameters:
  ///   - type: The delegate's type, an existential such as `(any LocationManagerDelegate).self`.
  ///   - method: The method whose default implementation asks, as `#function` names it.
  /// - Returns: The delegate; `nil` without one, or if it has another type.
  func forwardToDelegate<Delegate>(as type: Delegate.Type, method: String) -> Delegate?
}
