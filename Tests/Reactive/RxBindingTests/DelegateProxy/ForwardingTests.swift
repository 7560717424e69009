import Rx
import RxBinding
import Testing
import TestSupport

/// Promise 3: the user's own delegate keeps receiving everything, whenever it was set, weakly held unless told otherwise.
@MainActor @Suite(.inTurn) struct DelegateProxyForwardingTests {
  private let gone = Flag()

  @Test func aDelegateMayBeSetAfterwards() {
    let (scale, clerk) = (Scale(), Clerk())
    let log = StreamLog(scale.rx.didWeigh)
    let installation = scale.rx.setDelegate(clerk)
    scale.weigh(1)
    installation.dispose()
    scale.weigh(2)
    #expect(clerk.log == ["weigh 1", "beep? 1"])
    #expect(log.elements == [1, 2])
    #expect(scale.rx.delegate.forwardToDelegate() == nil)
  }

  @Test func aDelegateMayBeSetOnTheProxy() {
    let (scale, one, other) = (Scale(), Clerk(), Clerk())
    let proxy = scale.rx.delegate
    proxy.setForwardToDelegate(one, retainDelegate: false)
    scale.tare()
    proxy.setForwardToDelegate(other, retainDelegate: true)
    scale.tare()
    proxy.setForwardToDelegate(nil, retainDelegate: false)
    scale.tare()
    #expect(one.log == ["tare"])
    #expect(other.log == ["tare"])
  }

  @Test func forwardingIsWeak() {
    let scale = Scale()
    var clerk: Clerk? = Clerk(onDeinit: { gone.set() })
    if let clerk { scale.rx.delegate.setForwardToDelegate(clerk, retainDelegate: false) }
    scale.tare()
    #expect(clerk?.log == ["tare"])
    clerk = nil
    #expect(gone.isSet)
    #expect(scale.rx.delegate.forwardToDelegate() == nil)
    scale.tare()
  }

  @Test func aRetainedDelegateLivesAsLongAsItIsSet() {
    let scale = Scale()
    scale.rx.delegate.setForwardToDelegate(Clerk(onDeinit: { gone.set() }), retainDelegate: true)
    scale.tare()
    #expect((scale.rx.delegate.forwardToDelegate() as? Clerk)?.log == ["tare"])
    #expect(!gone.isSet)
    scale.rx.delegate.setForwardToDelegate(nil, retainDelegate: false)
    #expect(gone.isSet)
  }

  @Test func theDeinitialiserOfARetainedDelegateFindsTheNextOne() {
    let (scale, next) = (Scale(), Clerk())
    let proxy = scale.rx.delegate
    let first = Clerk(onDeinit: {
      MainActor.assumeIsolated { if proxy.forwardToDelegate() === next { gone.set() } }
    })
    proxy.setForwardToDelegate(consume first, retainDelegate: true)
    proxy.setForwardToDelegate(next, retainDelegate: false)
    #expect(gone.isSet)
  }

  @Test func aRetainedDelegateGoesWithTheParent() {
    var scale: Scale? = Scale()
    let proxy = scale?.rx.delegate
    proxy?.setForwardToDelegate(Clerk(onDeinit: { gone.set() }), retainDelegate: true)
    #expect(!gone.isSet)
    scale = nil
    #expect(gone.isSet)
    #expect(proxy?.forwardToDelegate() == nil)
  }

  @Test func disposingAnInstallationLeavesALaterDelegateAlone() {
    let (scale, one, other) = (Scale(), Clerk(), Clerk())
    let installation = scale.rx.setDelegate(one)
    scale.rx.delegate.setForwardToDelegate(other, retainDelegate: false)
    installation.dispose()
    #expect(scale.rx.delegate.forwardToDelegate() === other)
  }

  @Test func anInstallationMayBeDisposedOnAnyThread() async {
    let (scale, clerk) = (Scale(), Clerk())
    let installation = scale.rx.setDelegate(clerk)
    await Task.detached { installation.dispose() }.value
    #expect(await eventually { scale.rx.delegate.forwardToDelegate() == nil })
  }

  @Test func anInstallationHoldsNeitherDelegateNorParent() {
    var scale: Scale? = Scale()
    weak let weakScale = scale
    var clerk: Clerk? = Clerk(onDeinit: { gone.set() })
    var installation: (any Disposable)?
    if let clerk { installation = scale?.rx.setDelegate(clerk) }
    clerk = nil
    scale = nil
    #expect(gone.isSet)
    #expect(weakScale == nil)
    installation?.dispose()
  }

  @Test func aDelegateThatIsAValueIsHeld() {
    let post = Post()
    let log = Flag()
    RxPostDelegateProxy.proxy(for: post).setForwardToDelegate(Stamp(flag: log), retainDelegate: false)
    post.delegate?.arrive()
    #expect(log.isSet)
  }
}
