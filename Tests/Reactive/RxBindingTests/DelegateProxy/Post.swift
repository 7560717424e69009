import RxBinding
import Synchronization

/// A delegate type that values may conform to.
@MainActor
protocol PostDelegate {
  func arrive()
}

@MainActor
final class Post: HasDelegate, DelegateProxyHolder {
  let delegateProxies = DelegateProxies()
  var delegate: (any PostDelegate)?
}

struct Stamp: PostDelegate {
  let flag: Flag

  func arrive() { flag.set() }
}

final class RxPostDelegateProxy: DelegateProxy<Post, any PostDelegate>, DelegateProxyType, PostDelegate {
  var forwarded: (any PostDelegate)?

  init(post: Post) { super.init(parentObject: post, delegateProxy: RxPostDelegateProxy.self) }

  static func registerKnownImplementations() { register { RxPostDelegateProxy(post: $0) } }

  func arrive() { invoke(.arrive, 0) { $0.arrive() } }
}

extension DelegateMethod where Delegate == any PostDelegate, Arguments == Int {
  static var arrive: Self { Self() }
}

/// Set from any thread.
final class Flag: Sendable {
  private let value = Mutex(false)

  var isSet: Bool { value.withLock { $0 } }
  func set() { value.withLock { $0 = true } }
}
