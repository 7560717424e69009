import Rx
import RxBinding
import TestSupport
import Testing

/// Promise 1: one proxy per object and delegate type, made by the registered factory of the most derived class.
@MainActor @Suite(.inTurn) struct DelegateProxyFactoryTests {
  @Test func anObjectHasOneProxyForever() {
    let scale = Scale()
    let proxy = RxScaleDelegateProxy.proxy(for: scale)
    #expect(RxScaleDelegateProxy.proxy(for: scale) === proxy)
    #expect(scale.rx.delegate === proxy)
    #expect(scale.delegate === proxy)
    #expect(proxy.parentObject === scale)
  }

  @Test func twoObjectsHaveTwoProxies() {
    let (one, other) = (Scale(), Scale())
    #expect(one.rx.delegate !== other.rx.delegate)
    let log = StreamLog(one.rx.didWeigh)
    other.weigh(1)
    one.weigh(2)
    #expect(log.elements == [2])
  }

  @Test func theMostDerivedRegisteredClassDecides() {
    #expect(type(of: RxScaleDelegateProxy.proxy(for: Scale())) == RxScaleDelegateProxy.self)
    #expect(type(of: RxScaleDelegateProxy.proxy(for: KitchenScale())) == RxKitchenScaleDelegateProxy.self)
    #expect(type(of: RxScaleDelegateProxy.proxy(for: RecipeScale())) == RxKitchenScaleDelegateProxy.self)
  }

  @Test func aSubclassOfAProxyMayBeAskedFirst() {
    // It inherits its superclass's registrations; that they run again is no second registration.
    let scale = KitchenScale()
    let proxy = RxKitchenScaleDelegateProxy.proxy(for: scale)
    #expect(RxScaleDelegateProxy.proxy(for: scale) === proxy)
  }

  @Test func aClassRegisteredLaterCounts() {
    #expect(type(of: RxAnchorDelegateProxy.proxy(for: HeavyAnchor())) == RxAnchorDelegateProxy.self)
    RxAnchorDelegateProxy.register { (anchor: HeavyAnchor) in RxHeavyAnchorDelegateProxy(anchor: anchor) }
    #expect(type(of: RxAnchorDelegateProxy.proxy(for: HeavyAnchor())) == RxHeavyAnchorDelegateProxy.self)
    #expect(type(of: RxAnchorDelegateProxy.proxy(for: Anchor())) == RxAnchorDelegateProxy.self)
  }

  @Test func registerKnownImplementationsIsCalledOnce() {
    for _ in 0..<3 { _ = RxAnchorDelegateProxy.proxy(for: Anchor()) }
    #expect(RxAnchorDelegateProxy.registrations == 1)
  }

  @Test func twoDelegateTypesOfOneObjectAreTwoProxies() {
    let scale = Scale()
    let (delegate, dataSource) = (scale.rx.delegate, scale.rx.dataSource)
    #expect(ObjectIdentifier(delegate) != ObjectIdentifier(dataSource))
    #expect(scale.delegate === delegate)
    #expect(scale.dataSource === dataSource)
  }

  @Test func unrelatedClassesMayShareADelegateProtocol() {
    let (anchor, buoy) = (Anchor(), Buoy())
    _ = RxAnchorDelegateProxy.proxy(for: anchor)
    #expect(type(of: RxBuoyDelegateProxy.proxy(for: buoy)) == RxBuoyDelegateProxy.self)
  }

  @Test func twoDelegatesOfOneTypeNeedIdentifiersOfTheirOwn() {
    let ferry = Ferry()
    let bow = RxFerryBowProxy.proxy(for: ferry)
    let stern = RxFerrySternProxy.proxy(for: ferry)
    #expect(bow !== stern)
    #expect(ferry.bow === bow)
    #expect(ferry.stern === stern)
  }
}

/// What a programmer does wrong ends the process, with a message that says what to do.
@Suite(.inTurn) struct DelegateProxyFaultTests {
  @Test func registeringNothingSaysWhatToWrite() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
      _ = RxForgetfulProxy.proxy(for: Anchor())
    }
    expect(result, says: ["No proxy is registered for Anchor", "RxForgetfulProxy.registerKnownImplementations()"])
  }

  @Test func registeringTwiceNamesBothPlaces() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
      _ = RxDoubleProxy.proxy(for: Anchor())
    }
    let file = "RxBindingTests/Anchor.swift"
    expect(result, says: ["A proxy for Anchor is registered twice", "\(file):", "at \(file):"])
  }

  @Test func aProxyThatIsNoDelegateIsTold() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
      _ = RxUndeclaredProxy.proxy(for: Anchor())
    }
    expect(result, says: ["RxUndeclaredProxy does not conform to", "AnchorDelegate"])
  }

  @Test func twoProxyClassesForOneDelegateAreTold() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
      let anchor = Anchor()
      _ = RxAnchorDelegateProxy.proxy(for: anchor)
      _ = RxForgetfulProxy.proxy(for: anchor)
    }
    expect(
      result,
      says: [
        "is a RxAnchorDelegateProxy, not a RxForgetfulProxy", "Both are for Anchor: use one of them",
        "identifier of its own",
      ])
  }
}

/// Checks that a process has written each of `parts` on standard error.
func expect(_ result: ExitTest.Result?, says parts: [String], at location: Testing.SourceLocation = #_sourceLocation) {
  let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  for part in parts { #expect(output.contains(part), "\(output)", sourceLocation: location) }
}
