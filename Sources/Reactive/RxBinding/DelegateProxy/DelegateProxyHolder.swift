/// A class that gives its delegate proxies a place, so that they live exactly as long as it does. Swift has no associated
/// objects; this is the one line that stands for them:
///
///     final class Scale: DelegateProxyHolder, HasDelegate {
///       let delegateProxies = DelegateProxies()
///       weak var delegate: (any ScaleDelegate)? { didSet { delegateProxies.delegateDidChange() } }
///     }
///
/// The call in `didSet` lets the proxies notice at once that somebody has replaced the delegate; without it they notice
/// when they are next asked for.
///
/// A class that does not conform, because one cannot change it, has its proxies in a table on the side, see
/// ``DelegateProxyType/proxy(for:)``.
@MainActor
public protocol DelegateProxyHolder: AnyObject {
  /// The object's proxies: always the same instance, which nobody else holds.
  var delegateProxies: DelegateProxies { get }
}
