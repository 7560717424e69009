import Rx

/// Makes the proxies of one kind: it knows which classes have which, and finds the most derived one for an object.
@MainActor
final class DelegateProxyFactory {
  private struct Maker {
    /// The class it was registered for.
    let parent: AnyClass
    /// Where it was registered, for the message about a second time.
    let place: String
    let isParent: (AnyClass) -> Bool
    let make: @MainActor (AnyObject) -> AnyObject?
  }

  private static var factories: [ObjectIdentifier: DelegateProxyFactory] = [:]

  private var makers: [Maker] = []
  private var found: [ObjectIdentifier: Maker] = [:]
  private var asked: Set<ObjectIdentifier> = []

  private init() {}

  /// The factory for the proxies with this identifier.
  static func shared(for identifier: ObjectIdentifier) -> DelegateProxyFactory {
    if let factory = factories[identifier] { return factory }
    let factory = DelegateProxyFactory()
    factories[identifier] = factory
    return factory
  }

  /// Adds a class. A second time from the same place has no effect: proxy classes inherit the registration.
  func register<Parent: AnyObject, Proxy: AnyObject>(_ make: @escaping @MainActor (Parent) -> Proxy, at place: String) {
    if let existing = makers.first(where: { $0.parent == Parent.self }) {
      if existing.place == place { return }
      DelegateProxyFault.raise(
        """
        A proxy for \(Parent.self) is registered twice, at \(existing.place) and at \(place). Register it once, in the \
        registerKnownImplementations() of its proxy class; a proxy for a subclass goes with that subclass.
        """)
    }
    found = [:]
    makers.append(
      Maker(parent: Parent.self, place: place, isParent: { $0 is Parent.Type }, make: { ($0 as? Parent).map(make) }))
  }

  /// Makes the proxy of the most derived class of `object`. First it lets `proxyType` register what it knows.
  func makeProxy<Proxy: DelegateProxyType>(
    for object: AnyObject, asking proxyType: Proxy.Type
  ) -> any InstalledDelegateProxy {
    if asked.insert(ObjectIdentifier(proxyType)).inserted {
      proxyType.registerKnownImplementations()
    }
    guard let maker = maker(for: type(of: object)), let made = maker.make(object) else {
      DelegateProxyFault.raise(
        """
        No proxy is registered for \(type(of: object)). Write register { \(Proxy.self)(…: $0) } in \
        \(Proxy.self).registerKnownImplementations().
        """)
    }
    guard let proxy = made as? any InstalledDelegateProxy else {
      DelegateProxyFault.raise("\(type(of: made)) is not a subclass of DelegateProxy: make it one.")
    }
    return proxy
  }

  private func maker(for type: AnyClass) -> Maker? {
    if let maker = found[ObjectIdentifier(type)] { return maker }
    var best: Maker?
    for maker in makers where maker.isParent(type) {
      if let current = best, !current.isParent(maker.parent) { continue }
      best = maker
    }
    found[ObjectIdentifier(type)] = best
    return best
  }
}

/// What a programmer did wrong with delegate proxies.
@MainActor
enum DelegateProxyFault {
  /// Where warnings go: standard error.
  static var warningHandler: @MainActor (String) -> Void = { StandardError.write($0) }

  /// Says what to do and ends the process: going on would lose delegate calls silently.
  static func raise(_ message: String) -> Never { fatalError("Delegate proxy: \(message)") }

  /// Says what was probably not intended.
  static func warn(_ message: String) { warningHandler("Delegate proxy: \(message)") }
}
