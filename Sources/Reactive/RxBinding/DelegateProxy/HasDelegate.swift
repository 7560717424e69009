/// A class with a delegate (RxCocoa). A ``DelegateProxyType`` whose parent has one needs to say no more.
///
///     extension LocationManager: HasDelegate {
///       public typealias Delegate = any LocationManagerDelegate
///     }
@MainActor
public protocol HasDelegate: AnyObject {
  /// The delegate's type: an existential, `any SomeDelegate`, as a rule.
  associatedtype Delegate

  /// The delegate, which the object calls.
  var delegate: Delegate? { get set }
}

extension DelegateProxyType where ParentObject: HasDelegate, Self.Delegate == ParentObject.Delegate {
  /// The value of `object.delegate`.
  public static func currentDelegate(for object: ParentObject) -> Delegate? { object.delegate }

  /// Sets `object.delegate`.
  public static func setCurrentDelegate(_ delegate: Delegate?, to object: ParentObject) { object.delegate = delegate }
}

/// A class with a data source (RxCocoa), which is proxied as a delegate is, by a proxy class of its own.
@MainActor
public protocol HasDataSource: AnyObject {
  /// The data source's type: an existential, `any SomeDataSource`, as a rule.
  associatedtype DataSource

  /// The data source, which the object asks.
  var dataSource: DataSource? { get set }
}

extension DelegateProxyType where ParentObject: HasDataSource, Self.Delegate == ParentObject.DataSource {
  /// The value of `object.dataSource`.
  public static func currentDelegate(for object: ParentObject) -> Delegate? { object.dataSource }

  /// Sets `object.dataSource`.
  public static func setCurrentDelegate(_ delegate: Delegate?, to object: ParentObject) { object.dataSource = delegate }
}
