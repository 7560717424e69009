import Rx
import RxBinding
import Testing
import TestSupport

/// Promise 5: a method that nobody observes costs next to nothing. (What it costs is measured in Benchmarks.)
@MainActor
@Suite struct DelegateProxyObservationTests {
  @Test func argumentsAreNotMadeForNobody() {
    let tuner = Tuner()
    let proxy = RxTunerDelegateProxy.proxy(for: tuner)
    tuner.delegate?.tuned()
    #expect(proxy.argumentsMade == 0)
    let log = StreamLog(proxy.methodInvoked(.tuned))
    tuner.delegate?.tuned()
    tuner.delegate?.tuned()
    #expect(proxy.argumentsMade == 2)
    log.dispose()
    tuner.delegate?.tuned()
    #expect(proxy.argumentsMade == 2)
    #expect(log.elements == [1, 2])
  }

  @Test func whatIsObservedIsKnown() {
    let scale = Scale()
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
    let scale = Scale()
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
    let tuner = Tuner()
    let proxy = RxTunerDelegateProxy.proxy(for: tuner)
    let one = StreamLog(proxy.methodInvoked(.axcxe))
    let other = StreamLog(proxy.methodInvoked(.aycye))
    tuner.delegate?.first()
    tuner.delegate?.second()
    tuner.delegate?.second()
    #expect(one.elements.count == 1)
    #expect(other.elements.count == 2)
  }

  @Test func methodsOfOneNameAreToldApartByTheirArguments() {
    let tuner = Tuner()
    let proxy = RxTunerDelegateProxy.proxy(for: tuner)
    let texts: StreamLog<String> = StreamLog(proxy.methodInvoked(.same))
    let numbers: StreamLog<Int> = StreamLog(proxy.methodInvoked(.same))
    tuner.delegate?.third()
    #expect(texts.elements == ["text"])
    #expect(numbers.elements == [])
  }

  @Test func aStreamMayBeSubscribedToOnAnyThread() async {
    let scale = Scale()
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
    let scale = Scale()
    let stream = scale.rx.didWeigh
    for _ in 0..<100 {
      await Task.detached { stream.subscribe().dispose() }.value
    }
    // Whatever was sent to the main queue is done when this is.
    await withCheckedContinuation { done in MainQueue.runLater { done.resume() } }
    #expect(!scale.rx.delegate.isObserved(.didWeigh))
  }
}
