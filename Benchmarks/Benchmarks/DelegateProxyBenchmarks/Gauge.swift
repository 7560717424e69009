import Benchmark
import RxBinding

/// A class with a delegate, and its proxy, as a user of the library writes them.
@MainActor
final class Gauge: HasDelegate, DelegateProxyHolder {
  let delegateProxies = DelegateProxies()
  weak var delegate: (any GaugeDelegate)?
}

@MainActor
protocol GaugeDelegate: AnyObject {
  func gauge(_ gauge: Gauge, didChange values: [Int])
  func gauge(_ gauge: Gauge, shouldStopAt value: Int) -> Bool
}

final class User: GaugeDelegate {
  func gauge(_ gauge: Gauge, didChange values: [Int]) { blackHole(values) }
  func gauge(_ gauge: Gauge, shouldStopAt value: Int) -> Bool { value < 0 }
}

final class RxGaugeDelegateProxy: DelegateProxy<Gauge, any GaugeDelegate>, DelegateProxyType, GaugeDelegate {
  weak var forwarded: (any GaugeDelegate)?

  init(gauge: Gauge) {
    super.init(parentObject: gauge, delegateProxy: RxGaugeDelegateProxy.self)
  }

  static func registerKnownImplementations() {
    register { RxGaugeDelegateProxy(gauge: $0) }
  }

  func gauge(_ gauge: Gauge, didChange values: [Int]) {
    invoke(.didChange, (gauge, values)) { $0.gauge(gauge, didChange: values) }
  }

  func gauge(_ gauge: Gauge, shouldStopAt value: Int) -> Bool {
    invoke(.shouldStop, (gauge, value), default: false) { $0.gauge(gauge, shouldStopAt: value) }
  }
}

extension DelegateMethod where Delegate == any GaugeDelegate, Arguments == (gauge: Gauge, values: [Int]) {
  static var didChange: Self { Self() }
}

extension DelegateMethod where Delegate == any GaugeDelegate, Arguments == (gauge: Gauge, value: Int) {
  static var shouldStop: Self { Self() }
}

/// The delegate to which a proxy forwards.
enum Forwarding: String, CaseIterable, Sendable {
  case nothing = "no delegate"
  case weakly = "delegate held weakly"
  case strongly = "delegate retained"
}

/// A gauge with its proxy and a user's delegate.
@MainActor
final class Rig {
  let gauge = Gauge()
  let user = User()
  let proxy: RxGaugeDelegateProxy

  init(_ forwarding: Forwarding) {
    proxy = RxGaugeDelegateProxy.proxy(for: gauge)
    if forwarding != .nothing { proxy.setForwardToDelegate(user, retainDelegate: forwarding == .strongly) }
  }
}
