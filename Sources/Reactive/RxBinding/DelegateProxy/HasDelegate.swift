/// A class with a delegate (RxCocoa's `HasDelegate`). A ``DelegateProxyType`` whose parent has one needs to say no more.
///
///     extension LocationManager: HasDelegate {
///       public typealias Delegate = any LocationManagerDelegate
///     }
@MainActor
public protocol HasDelegate: AnyObject {
  /// The delegate's type: an existential, `any SomeDelegate`, as a rule.
  associatedtype Delegate

  /// Whom the object calls.
  var delegate: Delegate? { get set }
}

extension DelegateProxyType where ParentObject: HasDelegate, Self.Delegate == ParentObject.Delegate {
  /// The value of `object.delegate`.
  public static func currentDelegate(for object: ParentObject) -> Delegate? {
    object.delegate
  }

  /// Sets `object.delegate`.
  public static func setCurrentDelegate(_ delegate: Delegate?, to object: ParentObject) {
    object.delegate = delegate
  }
}
