/// A class that holds its delegate proxies. One line takes the place of RxCocoa's associated objects:
///
///     final class Scale: DelegateProxyHolder, HasDelegate {
///       let delegateProxies = DelegateProxies()
///       weak var delegate: (any ScaleDelegate)? { didSet { delegateProxies.delegateDidChange() } }
///     }
///
/// Without the call in `didSet` the proxies notice only when they are next used that the delegate was replaced.
///
/// If you cannot change a class, its proxies are kept in a separate table, see ``DelegateProxyType/proxy(for:)``.
@MainActor
public protocol DelegateProxyHolder: AnyObject {
  /// The object's proxies: always the same instance, held only by this object.
  var delegateProxies: DelegateProxies { get }
}

/// The place where the delegate proxies of one object live. When the object releases it, their streams complete.
@MainActor
public final class DelegateProxies {
  // One or two as a rule: a search is faster than hashing, and smaller.
  private var entries: [(identifier: ObjectIdentifier, proxy: any InstalledDelegateProxy)] = []

  /// Creates a place without proxies.
  public init() {}

  isolated deinit {
    for entry in entries { entry.proxy.parentDidGo() }
  }

  /// Makes each proxy check whether the delegate was replaced. The proxy then forwards to the new delegate and takes
  /// its place again. For the `didSet` of a delegate or data source property.
  public func delegateDidChange() { reinstall(isReported: true) }

  /// The user's own delegate; `nil` without one, or when `delegate` is not a proxy. Each default implementation of a
  /// delegate's protocol needs it to forward the call when it stands in for a method that the proxy class does not
  /// write.
  ///
  ///     extension ScaleDelegate {
  ///       func scaleDidTare(_ scale: Scale) {
  ///         DelegateProxies.forwardToDelegate(of: self, as: (any ScaleDelegate).self)?.scaleDidTare(scale)
  ///       }
  ///     }
  public static func forwardToDelegate<Delegate>(
    of delegate: Any, as type: Delegate.Type, method: String = #function
  ) -> Delegate? {
    (delegate as? any ForwardingDelegate)?.forwardToDelegate(as: type, method: method)
  }

  /// Where the proxies of `object` live: with it, if it is a holder, otherwise in the table on the side.
  static func of(_ object: AnyObject) -> DelegateProxies {
    (object as? any DelegateProxyHolder)?.delegateProxies ?? DelegateProxySideTable.shared.proxies(of: object)
  }

  subscript(identifier: ObjectIdentifier) -> (any InstalledDelegateProxy)? {
    for entry in entries where entry.identifier == identifier { return entry.proxy }
    return nil
  }

  func insert(_ proxy: any InstalledDelegateProxy, for identifier: ObjectIdentifier) {
    entries.append((identifier, proxy))
  }

  fileprivate func reinstall(isReported: Bool) {
    for entry in entries { entry.proxy.reinstall(isReported: isReported) }
  }
}

/// A proxy whose parent and delegate are of any type.
@MainActor
protocol ForwardingDelegate: AnyObject, Sendable {
  /// The user's own delegate, if it is of this type, for the default implementation of `method`.
  func forwardToDelegate<Delegate>(as type: Delegate.Type, method: String) -> Delegate?

  /// How often the user's own delegate was set. A caller that set it can tell by this whether it was set again since.
  var forwardSettings: Int { get }

  /// Sets the user's own delegate to `nil`.
  func removeForwardDelegate()
}

/// What ``DelegateProxies`` asks of a proxy, whatever its parent and its delegate are.
@MainActor
protocol InstalledDelegateProxy: AnyObject, Sendable {
  /// Makes the proxy the delegate again if another delegate was set.
  ///
  /// - Parameter isReported: Whether the parent reported the change at once, so that no call was missed.
  func reinstall(isReported: Bool)

  /// Completes the streams and lets go of a retained delegate.
  func parentDidGo()
}

/// The proxies of objects whose classes cannot hold them, by the objects' addresses.
///
/// An entry holds its object weakly. While the table has entries it is looked through every quarter of a second: those
/// whose objects are gone are removed, and the other proxies see whether their delegate was replaced. The same happens
/// when the table is used and comes upon an object that is gone, or has grown to twice its size. So it never has more
/// than about twice as many entries as there are living objects. The weak reference tells a new object from an old one
/// at the same address.
@MainActor
final class DelegateProxySideTable {
  private struct Entry {
    weak var parent: AnyObject?
    let proxies: DelegateProxies
  }

  static let shared = DelegateProxySideTable()

  private static let smallest = 64
  private static let interval = Duration.milliseconds(250)

  private var entries: [ObjectIdentifier: Entry] = [:]
  private var limit = smallest
  private var watch: Task<Void, Never>?

  /// How many entries there are, living or not.
  var count: Int { entries.count }

  /// The proxies of `object`.
  func proxies(of object: AnyObject) -> DelegateProxies { proxies(of: object, at: ObjectIdentifier(object)) }

  /// The proxies of `object`, whose address is `key`.
  func proxies(of object: AnyObject, at key: ObjectIdentifier) -> DelegateProxies {
    if let entry = entries[key], entry.parent === object { return entry.proxies }
    if entries.count >= limit {
      removeOrphans()
      limit = max(Self.smallest, entries.count * 2)
    }
    let proxies = DelegateProxies()
    // A dead object's entry under the same address is released, and completes its streams, after it was replaced.
    let orphan = entries.updateValue(Entry(parent: object, proxies: proxies), forKey: key)
    withExtendedLifetime(orphan) {}
    startWatch()
    return proxies
  }

  /// Removes the entries of objects that are gone; their streams complete.
  func removeOrphans() {
    let orphans = entries.filter { $0.value.parent == nil }
    for key in orphans.keys { entries[key] = nil }
    // Streams complete here, when the table is consistent.
    withExtendedLifetime(orphans) {}
  }

  private func startWatch() {
    guard watch == nil else { return }
    watch = Task {
      while !entries.isEmpty {
        try? await Task.sleep(for: Self.interval)
        removeOrphans()
        for entry in entries.values { entry.proxies.reinstall(isReported: false) }
      }
      watch = nil
    }
  }
}
