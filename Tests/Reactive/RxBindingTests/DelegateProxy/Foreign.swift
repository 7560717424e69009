import Rx
import RxBinding

/// A class that we cannot change: it neither holds proxies nor reports a new delegate.
@MainActor
class Foreign {
  weak var delegate: (any ForeignDelegate)?

  func happen(_ value: Int) { delegate?.foreign(didHappen: value) }
}

@MainActor
protocol ForeignDelegate: AnyObject {
  func foreign(didHappen value: Int)
}

extension Foreign: HasDelegate, ReactiveCompatible {
  typealias Delegate = any ForeignDelegate
}

final class RxForeignDelegateProxy: DelegateProxy<Foreign, any ForeignDelegate>, DelegateProxyType, ForeignDelegate {
  weak var forwarded: (any ForeignDelegate)?

  init(foreign: Foreign) { super.init(parentObject: foreign, delegateProxy: RxForeignDelegateProxy.self) }

  static func registerKnownImplementations() { register { RxForeignDelegateProxy(foreign: $0) } }

  func foreign(didHappen value: Int) { invoke(.didHappen, value) { $0.foreign(didHappen: value) } }
}

extension DelegateMethod where Delegate == any ForeignDelegate, Arguments == Int {
  static var didHappen: Self { Self() }
}

@MainActor
extension Reactive where Base: Foreign {
  var delegate: DelegateProxy<Foreign, any ForeignDelegate> { RxForeignDelegateProxy.proxy(for: base) }
  var didHappen: Observable<Int> { delegate.methodInvoked(.didHappen) }
}

final class ForeignUser: ForeignDelegate {
  var values: [Int] = []

  func foreign(didHappen value: Int) { values.append(value) }
}
