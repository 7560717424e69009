import Rx
import Testing
import TestSupport

@testable import RxBinding

/// Promise 7: somebody replacing the delegate behind the proxy's back is noticed, not silently lost.
@MainActor @Suite(.inTurn) struct DelegateProxyReplacementTests {
  @Test func aParentThatReportsKeepsBothStreamsAndTheNewDelegate() {
    let (scale, one, other) = (Scale(), Clerk(), Clerk())
    scale.delegate = one
    let log = StreamLog(scale.rx.didTare.map { 1 })
    scale.tare()
    let said = warnings {
      scale.delegate = other
      scale.tare()
      scale.delegate = nil
      scale.tare()
    }
    #expect(said == [])
    #expect(log.elements == [1, 1, 1])
    #expect(one.log == ["tare"])
    #expect(other.log == ["tare"])
    #expect(scale.delegate === scale.rx.delegate)
  }

  @Test func aDelegateSetAgainIsNoReplacement() {
    let scale = Scale()
    let proxy = scale.rx.delegate
    let gone = Flag()
    proxy.setForwardToDelegate(Clerk(onDeinit: { gone.set() }), retainDelegate: true)
    // Whoever does this does not mean that it be let go.
    scale.delegate = proxy.forwardToDelegate()
    scale.tare()
    #expect(!gone.isSet)
    let saved = scale.delegate
    scale.delegate = saved
    #expect(saved === proxy)
  }

  @Test func aForeignParentIsLookedAtWhenItsProxyIsAskedFor() {
    let (foreign, user) = (Foreign(), ForeignUser())
    let log = StreamLog(foreign.rx.didHappen)
    foreign.happen(1)
    foreign.delegate = user
    foreign.happen(2)
    let said = warnings { _ = foreign.rx.delegate }
    foreign.happen(3)
    #expect(log.elements == [1, 3])
    #expect(user.values == [2, 3])
    #expect(said.count == 1)
    #expect(said.first?.contains("was replaced after RxForeignDelegateProxy") == true)
  }

  @Test func aForeignParentIsLookedAtWhenAStreamIsAskedFor() {
    let (foreign, user) = (Foreign(), ForeignUser())
    let proxy = foreign.rx.delegate
    foreign.delegate = user
    let said = warnings {
      let log = StreamLog(proxy.methodInvoked(.didHappen))
      foreign.happen(1)
      #expect(log.elements == [1])
    }
    #expect(user.values == [1])
    #expect(said.count == 1)
  }

  @Test func aForeignParentIsLookedAtByAndBy() async {
    let (foreign, user) = (Foreign(), ForeignUser())
    let log = StreamLog(foreign.rx.didHappen)
    foreign.delegate = user
    foreign.happen(1)
    #expect(await eventually { foreign.delegate !== user })
    foreign.happen(2)
    #expect(log.elements == [2])
    #expect(user.values == [1, 2])
  }

  @Test func theWarningComesOnce() {
    let foreign = Foreign()
    _ = foreign.rx.delegate
    let said = warnings {
      for _ in 0..<3 {
        foreign.delegate = nil
        _ = foreign.rx.delegate
      }
    }
    #expect(said.count == 1)
  }

  @Test func aDelegateThatWasThereBeforeIsNoReplacement() {
    let (foreign, user) = (Foreign(), ForeignUser())
    foreign.delegate = user
    #expect(warnings { _ = foreign.rx.delegate } == [])
  }

  @Test func anotherDelegateInTheWayIsReported() {
    let (scale, one, other) = (Scale(), Clerk(), Clerk())
    scale.delegate = one
    let said = warnings { scale.rx.setDelegate(other).dispose() }
    #expect(said.count == 1)
    #expect(said.first?.contains("Clerk takes the place of another, a delegate of") == true)
    #expect(warnings { scale.rx.setDelegate(other).dispose() } == [])
  }

  @Test func aParentThatRefusesTheProxyIsNotAskedForever() {
    let stubborn = Stubborn()
    _ = RxStubbornDelegateProxy.proxy(for: stubborn)
    #expect(stubborn.attempts == 1)
  }
}

@MainActor
func warnings(during action: () -> Void) -> [String] {
  let previous = DelegateProxyFault.warningHandler
  defer { DelegateProxyFault.warningHandler = previous }
  var warnings: [String] = []
  DelegateProxyFault.warningHandler = { warnings.append($0) }
  action()
  return warnings
}

/// Reports every change and takes none.
@MainActor
private final class Stubborn: HasDelegate, DelegateProxyHolder {
  let delegateProxies = DelegateProxies()
  private(set) var attempts = 0

  var delegate: (any AnchorDelegate)? {
    get { nil }
    set {
      attempts += 1
      delegateProxies.delegateDidChange()
    }
  }
}

private final class RxStubbornDelegateProxy: DelegateProxy<Stubborn, any AnchorDelegate>, DelegateProxyType,
  AnchorDelegate
{
  weak var forwarded: (any AnchorDelegate)?

  init(stubborn: Stubborn) { super.init(parentObject: stubborn, delegateProxy: RxStubbornDelegateProxy.self) }

  static func registerKnownImplementations() { register { RxStubbornDelegateProxy(stubborn: $0) } }
}
