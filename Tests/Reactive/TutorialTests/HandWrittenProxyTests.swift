import Rx
import RxBinding
import RxTestSupport
import Testing

// The first tutorial, lines 302 to 421, the second, lines 237 to 277, and the fourth, lines 90 to 144: a class of our own with a
// delegate, and what one writes to have its calls as streams: one class and two extensions, and a key for each method.

@MainActor
private protocol LighthouseDelegate: AnyObject {
  func lighthouse(_ lighthouse: Lighthouse, didFlash seconds: Double)
  func lighthouseDidGoDark(_ lighthouse: Lighthouse)
}

@MainActor
private final class Lighthouse: DelegateProxyHolder, ReactiveCompatible {
  let delegateProxies = DelegateProxies()
  weak var delegate: (any LighthouseDelegate)? { didSet { delegateProxies.delegateDidChange() } }

  func flash(for seconds: Double) { delegate?.lighthouse(self, didFlash: seconds) }
  func goDark() { delegate?.lighthouseDidGoDark(self) }
}

extension Lighthouse: HasDelegate {
  fileprivate typealias Delegate = any LighthouseDelegate
}

private final class RxLighthouseDelegateProxy:
  DelegateProxy<Lighthouse, any LighthouseDelegate>, DelegateProxyType, LighthouseDelegate
{
  weak var forwarded: (any LighthouseDelegate)?

  private(set) weak var lighthouse: Lighthouse?

  init(lighthouse: Lighthouse) {
    self.lighthouse = lighthouse
    super.init(parentObject: lighthouse, delegateProxy: RxLighthouseDelegateProxy.self)
  }

  static func registerKnownImplementations() {
    register { RxLighthouseDelegateProxy(lighthouse: $0) }
  }

  static func currentDelegate(for object: Lighthouse) -> (any LighthouseDelegate)? {
    return object.delegate
  }

  static func setCurrentDelegate(_ delegate: (any LighthouseDelegate)?, to object: Lighthouse) {
    object.delegate = delegate
  }

  func lighthouse(_ lighthouse: Lighthouse, didFlash seconds: Double) {
    invoke(.didFlash, (lighthouse, seconds)) { $0.lighthouse(lighthouse, didFlash: seconds) }
  }

  func lighthouseDidGoDark(_ lighthouse: Lighthouse) {
    invoke(.didGoDark, lighthouse) { $0.lighthouseDidGoDark(lighthouse) }
  }
}

extension DelegateMethod
where Delegate == any LighthouseDelegate, Arguments == (lighthouse: Lighthouse, seconds: Double) {
  fileprivate static var didFlash: Self { Self() }
}

extension DelegateMethod where Delegate == any LighthouseDelegate, Arguments == Lighthouse {
  fileprivate static var didGoDark: Self { Self() }
}

@MainActor
extension Reactive where Base == Lighthouse {
  fileprivate var delegate: DelegateProxy<Lighthouse, any LighthouseDelegate> {
    RxLighthouseDelegateProxy.proxy(for: base)
  }

  fileprivate var didFlash: Observable<Double> {
    delegate.methodInvoked(.didFlash).map { $0.seconds }
  }

  fileprivate var didGoDark: Observable<Void> {
    delegate.methodInvoked(.didGoDark).map { _ in }
  }
}

private final class Keeper: LighthouseDelegate {
  var log: [String] = []

  func lighthouse(_ lighthouse: Lighthouse, didFlash seconds: Double) { log.append("flash \(seconds)") }
  func lighthouseDidGoDark(_ lighthouse: Lighthouse) { log.append("dark") }
}

@MainActor @Suite(.inTurn) struct HandWrittenProxyTests {
  @Test func aProxyWrittenByHandMakesStreamsOfCalls() {
    var lighthouse: Lighthouse? = Lighthouse()
    let keeper = Keeper()
    lighthouse?.delegate = keeper
    let log = Recorder<String>()
    let bag = DisposeBag()
    lighthouse?.rx.didFlash
      .subscribe(onNext: { log.record("flash \($0)") }, onCompleted: { log.record("completed") })
      .disposed(by: bag)
    lighthouse?.rx.didGoDark.subscribe(onNext: { log.record("dark") }).disposed(by: bag)
    lighthouse?.flash(for: 0.5)
    lighthouse?.goDark()
    lighthouse = nil
    #expect(log.values == ["flash 0.5", "dark", "completed"])
    #expect(keeper.log == ["flash 0.5", "dark"])
  }
}
