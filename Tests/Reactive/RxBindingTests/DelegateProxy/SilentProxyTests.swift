import Rx
import Testing

@testable import RxBinding

/// What a debug build says of an observed method that can have no element.
@Suite @MainActor struct SilentProxyTests {
  private let bell = Bell()
  private let bag = DisposeBag()

  private var proxy: RxBellDelegateProxy { RxBellDelegateProxy.proxy(for: bell) }

  @Test func aMethodThatTheProxyDoesNotWrite() {
    proxy.methodInvoked(.didStop).subscribe().disposed(by: bag)
    let said = warnings {
      for _ in 0..<2 { bell.delegate?.bellDidStop(bell) }
    }
    #expect(said.count == 1)
    #expect(said.first?.contains("RxBellDelegateProxy does not write bellDidStop(_:)") == true)
    #expect(said.first?.contains("invoke(.didStop, …)") == true)
  }

  @Test func aMethodThatIsNotObserved() {
    proxy.methodInvoked(.didRing).subscribe().disposed(by: bag)
    let said = warnings {
      bell.delegate?.bellDidStop(bell)
      bell.delegate?.bell(bell, didRing: 1)
    }
    #expect(said == [])
  }

  @Test func aKeyOfTheSameNameWithOtherArguments() {
    proxy.methodInvoked(DelegateMethod<any BellDelegate, String>("didRing")).subscribe().disposed(by: bag)
    let said = warnings {
      for _ in 0..<2 { bell.delegate?.bell(bell, didRing: 1) }
    }
    #expect(said.count == 1)
    #expect(said.first?.contains("didRing is observed with the arguments String, and invoked with Int") == true)
  }
}

@MainActor
private protocol BellDelegate: AnyObject {
  func bell(_ bell: Bell, didRing times: Int)
  func bellDidStop(_ bell: Bell)
}

extension BellDelegate {
  func bellDidStop(_ bell: Bell) {
    DelegateProxies.forwardToDelegate(of: self, as: (any BellDelegate).self)?.bellDidStop(bell)
  }
}

@MainActor
private final class Bell: HasDelegate, DelegateProxyHolder {
  let delegateProxies = DelegateProxies()
  weak var delegate: (any BellDelegate)?
}

private final class RxBellDelegateProxy: DelegateProxy<Bell, any BellDelegate>, DelegateProxyType, BellDelegate {
  weak var forwarded: (any BellDelegate)?

  init(bell: Bell) { super.init(parentObject: bell, delegateProxy: RxBellDelegateProxy.self) }

  static func registerKnownImplementations() {
    register { RxBellDelegateProxy(bell: $0) }
  }

  func bell(_ bell: Bell, didRing times: Int) {
    invoke(.didRing, times) { $0.bell(bell, didRing: times) }
  }
}

extension DelegateMethod where Delegate == any BellDelegate, Arguments == Int {
  fileprivate static var didRing: Self { Self() }
}

extension DelegateMethod where Delegate == any BellDelegate, Arguments == Bell {
  fileprivate static var didStop: Self { Self() }
}
