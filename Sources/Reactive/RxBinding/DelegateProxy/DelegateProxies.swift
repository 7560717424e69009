/// The delegate proxies of one object. When the object releases them, their streams complete.
@MainActor
public final class DelegateProxies {
  private struct Entry {
    let identifier: ObjectIdentifier
    let proxy: any InstalledDelegateProxy
  }

  // One or two as a rule: a search is faster than hashing, and smaller.
  private var entries: [Entry] = []
  private let observationDidChange: (@MainActor () -> Void)?

  /// Creates a place without proxies.
  public init() {
    observationDidChange = nil
  }

  /// Creates a place whose proxies tell when their streams begin or cease to be subscribed to.
  init(observationDidChange: @escaping @MainActor () -> Void) {
    self.observationDidChange = observationDidChange
  }

  isolated deinit {
    for entry in entries {
      entry.proxy.parentDidGo()
    }
  }

  /// Lets each proxy look whether somebody has replaced the delegate. Such a delegate becomes the one that the proxy
  /// forwards to, and the proxy takes its place again. For the `didSet` of a delegate or data source property.
  public func delegateDidChange() {
    for entry in entries {
      entry.proxy.reinstall(isReported: true)
    }
  }

  var isObserved: Bool {
    entries.contains { $0.proxy.hasObservers }
  }

  /// The proxies of `object`: those that it holds, if it does, otherwise those in the table on the side.
  static func of(_ object: AnyObject) -> DelegateProxies {
    (object as? any DelegateProxyHolder)?.delegateProxies ?? DelegateProxySideTable.shared.proxies(of: object)
  }

  subscript(identifier: ObjectIdentifier) -> (any InstalledDelegateProxy)? {
    for entry in entries where entry.identifier == identifier { return entry.proxy }
    return nil
  }

  func insert(_ proxy: any InstalledDelegateProxy, for identifier: ObjectIdentifier) {
    entries.append(Entry(identifier: identifier, proxy: proxy))
    proxy.reportObservation(to: observationDidChange)
  }
}

/// What ``DelegateProxies`` asks of a proxy, whatever its parent and its delegate are.
@MainActor
protocol InstalledDelegateProxy: AnyObject {
  /// Whether any of its streams is subscribed to.
  var hasObservers: Bool { get }

  /// Puts the proxy in the delegate's place again if somebody has taken it.
  ///
  /// - Parameter isReported: Whether the parent told so at once, so that nothing was lost.
  func reinstall(isReported: Bool)

  /// Has `report` called whenever a method begins or ceases to be observed.
  func reportObservation(to report: (@MainActor () -> Void)?)

  /// Completes the streams and lets go of a retained delegate.
  func parentDidGo()
}
