import Rx
import RxBinding
import Testing
import TestSupport

/// Promise 5: a method that nobody observes costs next to nothing. (What it costs is measured in Benchmarks.)
@MainActor @Suite(.inTurn) struct DelegateProxyObservationTests {
  private let scale = Scale()

  @Test func argumentsAreNotMadeForNobody() {
    let proxy = RxScaleDelegateProxy.proxy(for: scale)
    let method = DelegateMethod<any ScaleDelegate, Int>("counted")
    var made = 0
    func arguments() -> Int {
      made += 1
      return made
    }
    proxy.invoke(method, arguments()) { _ in }
    #expect(made == 0)
    let log = StreamLog(proxy.methodInvoked(method))
    for _ in 0..<2 { proxy.invoke(method, arguments()) { _ in } }
    #expect(made == 2)
    log.dispose()
    proxy.invoke(method, arguments()) { _ in }
    #expect(made == 2)
    #expect(log.elements == [1, 2])
  }

  @Test func whatIsObservedIsKnown() {
    let proxy = scale.rx.delegate
    let stream = proxy.methodInvoked(.didWeigh)
    #expect(!proxy.isObserved(.didWeigh))
    let first = StreamLog(stream)
    let second = StreamLog(proxy.sentMessage(.didWeigh))
    #expect(proxy.isObserved(.didWeigh))
    #expect(!proxy.isObserved(.didTare))
    #expect(!proxy.isObserved(.shouldBeep))
    first.dispose()
    #expect(proxy.isObserved(.didWeigh))
    second.dispose()
    #expect(!proxy.isObserved(.didWeigh))
  }

  @Test func aSubclassHearsWhenObservationBeginsAndEnds() {
    let proxy = RxScaleDelegateProxy.proxy(for: scale)
    let first = StreamLog(proxy.methodInvoked(.didWeigh))
    #expect(proxy.observationChanges == 1)
    let second = StreamLog(proxy.methodInvoked(.didWeigh))
    #expect(proxy.observationChanges == 1)
    first.dispose()
    #expect(proxy.observationChanges == 1)
    second.dispose()
    #expect(proxy.observationChanges == 2)
  }

  @Test func methodsWithTheSameArgumentsAreToldApart() {
    let proxy = RxScaleDelegateProxy.proxy(for: scale)
    let methods = ["axcxe", "aycye"].map { DelegateMethod<any ScaleDelegate, Int>($0) }
    let logs = methods.map { StreamLog(proxy.methodInvoked($0)) }
    for index in [0, 1, 1] { proxy.invoke(methods[index], index) { _ in } }
    #expect(logs.map(\.elements) == [[0], [1, 1]])
  }

  @Test func aStreamMayBeSubscribedToOnAnyThread() async {
    let stream = scale.rx.didWeigh
    let log = Flag()
    let subscription = await Task.detached { stream.subscribe(onNext: { _ in log.set() }) }.value
    #expect(await eventually { scale.rx.delegate.isObserved(.didWeigh) })
    scale.weigh(1)
    #expect(log.isSet)
    await Task.detached { subscription.dispose() }.value
    #expect(await eventually(within: 10) { !scale.rx.delegate.isObserved(.didWeigh) }, "it is observed by nobody")
  }

  @Test func aSubscriptionDisposedBeforeItTookEffectTakesNone() async {
    let stream = scale.rx.didWeigh
    for _ in 0..<100 {
      await Task.detached { stream.subscribe().dispose() }.value
    }
    // Whatever was sent to the main queue is done when this is.
    await withCheckedContinuation { done in MainQueue.runLater { done.resume() } }
    #expect(!scale.rx.delegate.isObserved(.didWeigh))
  }
}
