import Rx
import RxBinding

/// A class of our own with a delegate, which holds its proxies and reports when its delegate is replaced.
@MainActor
class Scale: HasDelegate, HasDataSource, DelegateProxyHolder, ReactiveCompatible {
  let delegateProxies = DelegateProxies()
  weak var delegate: (any ScaleDelegate)? { didSet { delegateProxies.delegateDidChange() } }
  weak var dataSource: (any ScaleDataSource)? { didSet { delegateProxies.delegateDidChange() } }
  private(set) var beeps = 0

  func weigh(_ grams: Int) {
    delegate?.scale(self, didWeigh: grams)
    if delegate?.scaleShouldBeep(self, at: grams) ?? false { beeps += 1 }
  }

  func tare() { delegate?.scaleDidTare(self) }

  var price: Int { dataSource?.pricePerKilogram(for: self) ?? -1 }
}

class KitchenScale: Scale {}
class RecipeScale: KitchenScale {}

@MainActor
protocol ScaleDelegate: AnyObject {
  func scale(_ scale: Scale, didWeigh grams: Int)
  func scaleDidTare(_ scale: Scale)
  func scaleShouldBeep(_ scale: Scale, at grams: Int) -> Bool
}

extension ScaleDelegate {
  func scale(_ scale: Scale, didWeigh grams: Int) {}
  func scaleDidTare(_ scale: Scale) {}
  func scaleShouldBeep(_ scale: Scale, at grams: Int) -> Bool { false }
}

@MainActor
protocol ScaleDataSource: AnyObject {
  func pricePerKilogram(for scale: Scale) -> Int
}

class RxScaleDelegateProxy: DelegateProxy<Scale, any ScaleDelegate>, DelegateProxyType, ScaleDelegate {
  weak var forwarded: (any ScaleDelegate)?

  private(set) weak var scale: Scale?
  private(set) var observationChanges = 0

  init(scale: Scale) {
    self.scale = scale
    super.init(parentObject: scale, delegateProxy: RxScaleDelegateProxy.self)
  }

  static func registerKnownImplementations() {
    register { RxScaleDelegateProxy(scale: $0) }
    register { RxKitchenScaleDelegateProxy(kitchenScale: $0) }
  }

  func scale(_ scale: Scale, didWeigh grams: Int) {
    invoke(.didWeigh, (scale, grams)) { $0.scale(scale, didWeigh: grams) }
  }

  func scaleDidTare(_ scale: Scale) { invoke(.didTare, scale) { $0.scaleDidTare(scale) } }

  func scaleShouldBeep(_ scale: Scale, at grams: Int) -> Bool {
    invoke(.shouldBeep, (scale, grams), default: true) { $0.scaleShouldBeep(scale, at: grams) }
  }

  override func observationDidChange() { observationChanges += 1 }
}

final class RxKitchenScaleDelegateProxy: RxScaleDelegateProxy {
  init(kitchenScale: KitchenScale) { super.init(scale: kitchenScale) }
}

final class RxScaleDataSourceProxy: DelegateProxy<Scale, any ScaleDataSource>, DelegateProxyType, ScaleDataSource {
  weak var forwarded: (any ScaleDataSource)?

  init(scale: Scale) { super.init(parentObject: scale, delegateProxy: RxScaleDataSourceProxy.self) }

  static func registerKnownImplementations() { register { RxScaleDataSourceProxy(scale: $0) } }

  func pricePerKilogram(for scale: Scale) -> Int {
    invoke(.price, scale, default: 0) { $0.pricePerKilogram(for: scale) }
  }
}

extension DelegateMethod where Delegate == any ScaleDelegate, Arguments == (scale: Scale, grams: Int) {
  static var didWeigh: Self { Self() }
  static var shouldBeep: Self { Self() }
}

extension DelegateMethod where Delegate == any ScaleDelegate, Arguments == Scale {
  static var didTare: Self { Self() }
}

extension DelegateMethod where Delegate == any ScaleDataSource, Arguments == Scale {
  static var price: Self { Self() }
}

@MainActor
extension Reactive where Base: Scale {
  var delegate: DelegateProxy<Scale, any ScaleDelegate> { RxScaleDelegateProxy.proxy(for: base) }
  var dataSource: DelegateProxy<Scale, any ScaleDataSource> { RxScaleDataSourceProxy.proxy(for: base) }
  var didWeigh: Observable<Int> { delegate.methodInvoked(.didWeigh).map { $0.grams } }
  var didTare: Observable<Void> { delegate.methodInvoked(.didTare).map { _ in } }

  func setDelegate(_ delegate: any ScaleDelegate) -> any Disposable {
    RxScaleDelegateProxy.installForwardDelegate(delegate, retainDelegate: false, onProxyForObject: base)
  }

  func setDataSource(_ dataSource: any ScaleDataSource) -> any Disposable {
    RxScaleDataSourceProxy.installForwardDelegate(dataSource, retainDelegate: false, onProxyForObject: base)
  }
}

/// A user's own delegate that writes down what it is called with.
final class Clerk: ScaleDelegate, ScaleDataSource {
  var log: [String] = []
  var onCall: (@MainActor (String) -> Void)?
  var beeps = false
  private let onDeinit: (@Sendable () -> Void)?

  init(onDeinit: (@Sendable () -> Void)? = nil) { self.onDeinit = onDeinit }

  deinit { onDeinit?() }

  func scale(_ scale: Scale, didWeigh grams: Int) { note("weigh \(grams)") }
  func scaleDidTare(_ scale: Scale) { note("tare") }

  func scaleShouldBeep(_ scale: Scale, at grams: Int) -> Bool {
    note("beep? \(grams)")
    return beeps
  }

  func pricePerKilogram(for scale: Scale) -> Int {
    note("price?")
    return 7
  }

  private func note(_ call: String) {
    log.append(call)
    onCall?(call)
  }
}
