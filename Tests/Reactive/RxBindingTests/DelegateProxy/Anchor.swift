import RxBinding

// Classes for what can go right and wrong with registration.

@MainActor
protocol AnchorDelegate: AnyObject {}

@MainActor
class Anchor: HasDelegate, DelegateProxyHolder {
  let delegateProxies = DelegateProxies()
  weak var delegate: (any AnchorDelegate)?
}

final class HeavyAnchor: Anchor {}

/// Another class with a delegate of the same type.
@MainActor
final class Buoy: HasDelegate, DelegateProxyHolder {
  let delegateProxies = DelegateProxies()
  weak var delegate: (any AnchorDelegate)?
}

/// A class with two delegates of one type.
@MainActor
final class Ferry: DelegateProxyHolder {
  let delegateProxies = DelegateProxies()
  weak var bow: (any AnchorDelegate)?
  weak var stern: (any AnchorDelegate)?
}

class RxAnchorDelegateProxy: DelegateProxy<Anchor, any AnchorDelegate>, DelegateProxyType, AnchorDelegate {
  weak var forwarded: (any AnchorDelegate)?

  static var registrations = 0

  init(anchor: Anchor) { super.init(parentObject: anchor, delegateProxy: RxAnchorDelegateProxy.self) }

  static func registerKnownImplementations() {
    registrations += 1
    register { RxAnchorDelegateProxy(anchor: $0) }
  }
}

final class RxHeavyAnchorDelegateProxy: RxAnchorDelegateProxy {}

final class RxBuoyDelegateProxy: DelegateProxy<Buoy, any AnchorDelegate>, DelegateProxyType, AnchorDelegate {
  weak var forwarded: (any AnchorDelegate)?

  init(buoy: Buoy) { super.init(parentObject: buoy, delegateProxy: RxBuoyDelegateProxy.self) }

  static func registerKnownImplementations() { register { RxBuoyDelegateProxy(buoy: $0) } }
}

final class RxFerryBowProxy: DelegateProxy<Ferry, any AnchorDelegate>, DelegateProxyType, AnchorDelegate {
  weak var forwarded: (any AnchorDelegate)?

  static var identifier: ObjectIdentifier { ObjectIdentifier(RxFerryBowProxy.self) }

  init(ferry: Ferry) { super.init(parentObject: ferry, delegateProxy: RxFerryBowProxy.self) }

  static func registerKnownImplementations() { register { RxFerryBowProxy(ferry: $0) } }

  static func currentDelegate(for object: Ferry) -> (any AnchorDelegate)? { object.bow }
  static func setCurrentDelegate(_ delegate: (any AnchorDelegate)?, to object: Ferry) { object.bow = delegate }
}

final class RxFerrySternProxy: DelegateProxy<Ferry, any AnchorDelegate>, DelegateProxyType, AnchorDelegate {
  weak var forwarded: (any AnchorDelegate)?

  static var identifier: ObjectIdentifier { ObjectIdentifier(RxFerrySternProxy.self) }

  init(ferry: Ferry) { super.init(parentObject: ferry, delegateProxy: RxFerrySternProxy.self) }

  static func registerKnownImplementations() { register { RxFerrySternProxy(ferry: $0) } }

  static func currentDelegate(for object: Ferry) -> (any AnchorDelegate)? { object.stern }
  static func setCurrentDelegate(_ delegate: (any AnchorDelegate)?, to object: Ferry) { object.stern = delegate }
}

/// Registers nothing.
final class RxForgetfulProxy: DelegateProxy<Anchor, any AnchorDelegate>, DelegateProxyType, AnchorDelegate {
  weak var forwarded: (any AnchorDelegate)?

  static func registerKnownImplementations() {}
}

/// Registers one class in two places.
final class RxDoubleProxy: DelegateProxy<Anchor, any AnchorDelegate>, DelegateProxyType, AnchorDelegate {
  weak var forwarded: (any AnchorDelegate)?

  init(anchor: Anchor) { super.init(parentObject: anchor, delegateProxy: RxDoubleProxy.self) }

  static func registerKnownImplementations() {
    register { RxDoubleProxy(anchor: $0) }
    register { RxDoubleProxy(anchor: $0) }
  }
}

/// Does not say that it is a delegate.
final class RxUndeclaredProxy: DelegateProxy<Anchor, any AnchorDelegate>, DelegateProxyType {
  weak var forwarded: (any AnchorDelegate)?

  init(anchor: Anchor) { super.init(parentObject: anchor, delegateProxy: RxUndeclaredProxy.self) }

  static func registerKnownImplementations() { register { RxUndeclaredProxy(anchor: $0) } }
}
