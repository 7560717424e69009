public import Rx

/// A class that stands in for the delegates of one class of objects (RxCocoa).
///
/// A conforming class subclasses ``DelegateProxy`` and writes ``registerKnownImplementations()`` and ``forwarded``; the
/// other six members have defaults: two from ``HasDelegate`` or ``HasDataSource``, three from ``DelegateProxy``, one
/// from here.
@MainActor
public protocol DelegateProxyType: AnyObject {
  /// The class of the objects that have the delegate.
  associatedtype ParentObject: AnyObject

  /// The delegate's type: an existential, `any SomeDelegate`, as a rule.
  associatedtype Delegate

  /// Registers this class and the proxies for subclasses of `ParentObject`. The library calls it once.
  static func registerKnownImplementations()

  /// Tells this kind of proxy from others of the same object. By default the identity of `Delegate`; an object that has
  /// two delegates of one type needs another for one of them.
  static var identifier: ObjectIdentifier { get }

  /// What the object calls now: the proxy, or a delegate that the proxy does not know yet.
  static func currentDelegate(for object: ParentObject) -> Delegate?

  /// Sets what the object calls.
  static func setCurrentDelegate(_ delegate: Delegate?, to object: ParentObject)

  /// The user's own delegate, which the proxy forwards to.
  func forwardToDelegate() -> Delegate?

  /// Sets the user's own delegate, held weakly unless `retainDelegate`.
  func setForwardToDelegate(_ forwardToDelegate: Delegate?, retainDelegate: Bool)

  /// Where the proxy holds the user's own delegate: a weak reference needs to know the delegate's protocol.
  ///
  ///     weak var forwarded: (any ScaleDelegate)?
  ///
  /// Without `weak`, which a protocol that values may conform to does not allow, the delegate is always held strongly.
  /// Set it with ``setForwardToDelegate(_:retainDelegate:)``.
  var forwarded: Delegate? { get set }

  /// The methods that have subscribers; `DelegateProxy` implements it.
  var observedMethods: ObservedMethods { get }
}

extension DelegateProxyType {
  /// The identity of `Delegate`.
  public static var identifier: ObjectIdentifier { ObjectIdentifier(Delegate.self) }

  /// Says how to make the proxy of a `Parent`. An object gets the proxy of the most derived class that is registered.
  ///
  /// Registering one class in two places is a programmer's fault and traps. `make` must not keep the object alive.
  public static func register<Parent: AnyObject>(
    fileID: StaticString = #fileID, line: UInt = #line, make: @escaping @MainActor (Parent) -> Self
  ) { DelegateProxyFactory.shared(for: identifier).register(make, at: "\(fileID):\(line)") }

  /// The proxy of an object, always the same one: the first call makes it and sets it as the object's delegate. The
  /// proxy forwards to the delegate that the object already has, or that is set later.
  ///
  /// The object holds its proxy if it is a ``DelegateProxyHolder``. Otherwise a table on the side does, with these
  /// limits: that the object is gone, or that its delegate was replaced, is noticed within a quarter of a second; until
  /// then streams have not completed and the memory is not freed.
  ///
  /// That the object's class is not registered is a programmer's fault and traps.
  public static func proxy(for object: ParentObject) -> Self {
    let proxies = DelegateProxies.of(object)
    let proxy: any InstalledDelegateProxy
    if let existing = proxies[identifier] {
      proxy = existing
    } else {
      proxy = DelegateProxyFactory.shared(for: identifier).makeProxy(for: object, asking: Self.self)
      proxies.insert(proxy, for: identifier)
    }
    guard let typed = proxy as? Self else {
      DelegateProxyFault.raise(
        """
        The proxy of \(object) is a \(type(of: proxy)), not a \(Self.self). \(advice(type(of: proxy))) If the object has \
        two delegates of this type, give one of the proxy classes an identifier of its own.
        """)
    }
    proxy.reinstall(isReported: false)
    return typed
  }

  /// What to do when `other` has made the proxy in the place of this class.
  private static func advice(_ other: Any.Type) -> String {
    func parent<Proxy: DelegateProxyType>(of proxy: Proxy.Type) -> Any.Type { Proxy.ParentObject.self }
    if let other = other as? any DelegateProxyType.Type, parent(of: other) == ParentObject.self {
      return "Both are for \(ParentObject.self): use one of them."
    }
    return "Register \(Self.self) in \(other).registerKnownImplementations()."
  }

  /// Forwards an object's calls to `forwardDelegate` until the result is disposed, for `rx.setDelegate(_:)`.
  ///
  /// A delegate that the object has already is no longer forwarded to; that is said on standard error, since it is a
  /// mistake as a rule. Disposing has no effect when another delegate has been set since. The delegate is held weakly
  /// unless `retainDelegate`.
  public static func installForwardDelegate(
    _ forwardDelegate: Delegate, retainDelegate: Bool, onProxyForObject object: ParentObject
  ) -> any Disposable {
    let proxy = proxy(for: object)
    if let previous = proxy.forwardToDelegate(), (previous as AnyObject) !== (forwardDelegate as AnyObject) {
      let (new, old) = ("\(forwardDelegate)", "\(previous)")
      DelegateProxyFault.warn(
        "\(new) takes the place of \(old == new ? "another" : old), a delegate of \(object). If so intended, set that to nil first."
      )
    }
    proxy.setForwardToDelegate(forwardDelegate, retainDelegate: retainDelegate)
    let installed = proxy as? any ForwardingDelegate
    let setting = installed?.forwardSettings
    return Disposables.create { [weak installed] in
      MainQueue.run {
        if installed?.forwardSettings == setting { installed?.removeForwardDelegate() }
      }
    }
  }
}
