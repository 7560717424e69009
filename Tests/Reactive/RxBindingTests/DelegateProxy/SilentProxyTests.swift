import Rx
import TestSupport
import Testing

@testable import RxBinding

/// What a debug build says of an observed method that can have no element.
@Suite(.inTurn) @MainActor struct SilentProxyTests {
  private let anemometer = Anemometer()
  private let proxy: BriefAnemometerDelegateProxy
  private let bag = DisposeBag()

  init() {
    proxy = BriefAnemometerDelegateProxy(anemometer: anemometer)
    anemometer.delegate = proxy
  }

  @Test func aMethodThatTheProxyDoesNotWrite() {
    proxy.methodInvoked(.didStall).subscribe().disposed(by: bag)
    let said = warnings {
      for _ in 0..<2 { anemometer.measure(0) }
    }
    #expect(said.count == 1)
    #expect(said.first?.contains("BriefAnemometerDelegateProxy does not write anemometerDidStall(_:)") == true)
    #expect(said.first?.contains("invoke(.didStall, …)") == true)
  }

  @Test func aMethodThatIsNotObserved() {
    proxy.methodInvoked(.didMeasure).subscribe().disposed(by: bag)
    #expect(warnings { anemometer.measure(0) } == [])
  }

  @Test func aKeyOfTheSameNameWithOtherArguments() {
    let key = DelegateMethod<any AnemometerDelegate, String>("didMeasure")
    proxy.methodInvoked(key).subscribe().disposed(by: bag)
    let said = warnings {
      for _ in 0..<2 { anemometer.measure(1) }
    }
    #expect(said.count == 1)
    #expect(said.first?.contains("didMeasure is observed with the arguments String, and invoked with") == true)
  }
}
