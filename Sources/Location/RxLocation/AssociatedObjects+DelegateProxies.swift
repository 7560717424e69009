import LocationKit
import RxBinding

extension AssociatedObjects {
  /// The delegate proxies that are kept here; the first time they are created, and `attach` is called.
  func delegateProxies(attach: (DelegateProxies) -> Void) -> DelegateProxies {
    let key = ObjectIdentifier(DelegateProxies.self)
    if let existing = self[key] as? DelegateProxies { return existing }
    let proxies = DelegateProxies()
    self[key] = proxies
    attach(proxies)
    return proxies
  }
}
