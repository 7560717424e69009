import Dispatch
import Rx
import RxBinding
import RxTestSupport
import TestSupport
import Testing

/// What happens when an object calls its delegate off the main actor, and what stands there instead of a proxy.
@Suite struct OtherQueueTests {
  @Test func aCallOffTheMainActorEndsTheProcessAndNamesProxyAndMethod() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
      let radio = Radio()
      let proxy = RxRadioDelegateProxy.proxy(for: radio)
      proxy.setForwardToDelegate(nil, retainDelegate: false)
      // Here it is allowed, and must not make the next call so.
      radio.receive("one")
      await withCheckedContinuation { continuation in
        radio.receive("two", on: DispatchQueue(label: "radio")) { continuation.resume() }
      }
    }
    expect(result, says: ["RxRadioDelegateProxy was called off the main actor, with didReceive."])
  }

  @Test func aQuestionOffTheMainActorEndsTheProcessToo() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
      let radio = Radio()
      _ = RxRadioDelegateProxy.proxy(for: radio)
      await withCheckedContinuation { continuation in
        radio.ask(on: DispatchQueue(label: "radio")) { continuation.resume() }
      }
    }
    expect(result, says: ["RxRadioDelegateProxy was called off the main actor, with shouldStop."])
  }

  @Test func theArticlesDelegateHasItsElementsOnTheObjectsQueueAndForwards() async {
    let (log, user) = (Recorder<String>(), Sounder())
    var delegate: RxSonarDelegate? = RxSonarDelegate(forwardTo: user)
    var sonar = delegate.map { Sonar(delegate: $0) }
    let subscription = delegate?.didMeasure.subscribe(
      onNext: {
        dispatchPrecondition(condition: .notOnQueue(.main))
        log.record("\($0)")
      }, onCompleted: { log.record("completed") })
    sonar?.measure(3)
    sonar?.measure(4)
    #expect(await eventually { log.values == ["3.0", "4.0"] })
    #expect(user.depths.values == [3, 4])
    sonar = nil
    delegate = nil
    #expect(await eventually { log.values == ["3.0", "4.0", "completed"] })
    subscription?.dispose()
  }
}

private final class Sounder: SonarDelegate {
  let depths = Recorder<Double>()

  func sonar(_ sonar: Sonar, didMeasure depth: Double) { depths.record(depth) }
}

/// A class that says nothing of actors, as one that was compiled without Swift 6's checks.
private final class Radio: @unchecked Sendable {
  // The tests set and call it one after the other.
  weak var delegate: (any RadioDelegate)?

  func receive(_ text: String) {
    delegate?.radio(didReceive: text)
  }

  func receive(_ text: String, on queue: DispatchQueue, then done: @escaping @Sendable () -> Void) {
    queue.async {
      self.receive(text)
      done()
    }
  }

  func ask(on queue: DispatchQueue, then done: @escaping @Sendable () -> Void) {
    queue.async {
      _ = self.delegate?.radioShouldStop()
      done()
    }
  }
}

private protocol RadioDelegate: AnyObject {
  func radio(didReceive text: String)
  func radioShouldStop() -> Bool
}

extension Radio: HasDelegate {
  typealias Delegate = any RadioDelegate
}

private final class RxRadioDelegateProxy:
  DelegateProxy<Radio, any RadioDelegate>, DelegateProxyType, @MainActor RadioDelegate
{
  weak var forwarded: (any RadioDelegate)?

  init(radio: Radio) {
    super.init(parentObject: radio, delegateProxy: RxRadioDelegateProxy.self)
  }

  static func registerKnownImplementations() {
    register { RxRadioDelegateProxy(radio: $0) }
  }

  func radio(didReceive text: String) {
    invoke(.didReceive, text) { $0.radio(didReceive: text) }
  }

  func radioShouldStop() -> Bool {
    invoke(.shouldStop, (), default: false) { $0.radioShouldStop() }
  }
}

extension DelegateMethod where Delegate == any RadioDelegate, Arguments == String {
  fileprivate static var didReceive: Self { Self() }
}

extension DelegateMethod where Delegate == any RadioDelegate, Arguments == Void {
  fileprivate static var shouldStop: Self { Self() }
}
