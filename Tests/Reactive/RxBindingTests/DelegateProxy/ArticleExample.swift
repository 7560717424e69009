// The samples of "Write a delegate proxy", word for word.

import Dispatch
import Rx
import RxBinding

@MainActor
protocol AnemometerDelegate: AnyObject {
  func anemometer(_ anemometer: Anemometer, didMeasure speed: Double)
  func anemometerDidStall(_ anemometer: Anemometer)
  func anemometer(_ anemometer: Anemometer, shouldRecord speed: Double) -> Bool
}

@MainActor
final class Anemometer: DelegateProxyHolder, ReactiveCompatible {
  let delegateProxies = DelegateProxies()
  weak var delegate: (any AnemometerDelegate)? {
    didSet { delegateProxies.delegateDidChange() }
  }
  private(set) var records: [Double] = []

  func measure(_ speed: Double) {
    delegate?.anemometer(self, didMeasure: speed)
    if speed == 0 { delegate?.anemometerDidStall(self) }
    if delegate?.anemometer(self, shouldRecord: speed) ?? false { records.append(speed) }
  }
}

extension Anemometer: HasDelegate {
  typealias Delegate = any AnemometerDelegate
}

final class RxAnemometerDelegateProxy:
  DelegateProxy<Anemometer, any AnemometerDelegate>, DelegateProxyType, AnemometerDelegate
{
  weak var forwarded: (any AnemometerDelegate)?

  init(anemometer: Anemometer) {
    super.init(parentObject: anemometer, delegateProxy: RxAnemometerDelegateProxy.self)
  }

  static func registerKnownImplementations() {
    register { RxAnemometerDelegateProxy(anemometer: $0) }
  }

  func anemometer(_ anemometer: Anemometer, didMeasure speed: Double) {
    invoke(.didMeasure, (anemometer, speed)) { $0.anemometer(anemometer, didMeasure: speed) }
  }

  func anemometerDidStall(_ anemometer: Anemometer) {
    invoke(.didStall, anemometer) { $0.anemometerDidStall(anemometer) }
  }

  func anemometer(_ anemometer: Anemometer, shouldRecord speed: Double) -> Bool {
    invoke(.shouldRecord, (anemometer, speed), default: true) { $0.anemometer(anemometer, shouldRecord: speed) }
  }
}

extension DelegateMethod
where Delegate == any AnemometerDelegate, Arguments == (anemometer: Anemometer, speed: Double) {
  static var didMeasure: Self { Self() }
  static var shouldRecord: Self { Self() }
}

extension DelegateMethod where Delegate == any AnemometerDelegate, Arguments == Anemometer {
  static var didStall: Self { Self() }
}

extension AnemometerDelegate {
  func anemometerDidStall(_ anemometer: Anemometer) {
    DelegateProxies.forwardToDelegate(of: self, as: (any AnemometerDelegate).self)?.anemometerDidStall(anemometer)
  }
}

@MainActor
extension Reactive where Base == Anemometer {
  var delegate: DelegateProxy<Anemometer, any AnemometerDelegate> {
    RxAnemometerDelegateProxy.proxy(for: base)
  }

  var didMeasure: ControlEvent<Double> {
    ControlEvent(events: delegate.methodInvoked(.didMeasure).map { $0.speed })
  }

  var didStall: ControlEvent<Void> {
    ControlEvent(events: delegate.methodInvoked(.didStall).map { _ in })
  }

  func setDelegate(_ delegate: any AnemometerDelegate) -> any Disposable {
    RxAnemometerDelegateProxy.installForwardDelegate(delegate, retainDelegate: false, onProxyForObject: base)
  }
}

protocol SonarDelegate: AnyObject, Sendable {
  func sonar(_ sonar: Sonar, didMeasure depth: Double)
}

final class Sonar: Sendable {
  private let queue = DispatchQueue(label: "sonar")
  private let delegate: any SonarDelegate

  init(delegate: any SonarDelegate) {
    self.delegate = delegate
  }

  func measure(_ depth: Double) {
    queue.async { self.delegate.sonar(self, didMeasure: depth) }
  }
}

final class RxSonarDelegate: SonarDelegate {
  private let depths = PublishSubject<Double>()
  private let forwarded: (any SonarDelegate)?

  init(forwardTo delegate: (any SonarDelegate)? = nil) {
    forwarded = delegate
  }

  deinit {
    depths.onCompleted()
  }

  var didMeasure: Observable<Double> { depths.asObservable() }

  func sonar(_ sonar: Sonar, didMeasure depth: Double) {
    forwarded?.sonar(sonar, didMeasure: depth)
    depths.onNext(depth)
  }
}
