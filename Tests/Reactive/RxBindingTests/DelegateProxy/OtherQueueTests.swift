import Foundation
import Rx
import RxBinding
import RxTestSupport
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// What happens when an object calls its delegate off the main actor, and what stands there instead of a proxy.
@Suite(.inTurn) struct OtherQueueTests {
  @Test func aCallOffTheMainActorEndsTheProcessAndNamesProxyAndMethod() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
      nonisolated(unsafe) let parser = XMLParser(data: Data())
      let proxy = RxXMLParserDelegateProxy.proxy(for: parser)
      // Here it is allowed, and must not make the next call so.
      proxy.parser(parser, foundCharacters: "one")
      await onAnotherQueue { parser.delegate?.parser(parser, foundCharacters: "two") }
    }
    expect(result, says: ["RxXMLParserDelegateProxy was called off the main actor, with foundCharacters."])
  }

  @Test func aQuestionOffTheMainActorEndsTheProcessToo() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { @MainActor in
      nonisolated(unsafe) let parser = XMLParser(data: Data())
      _ = RxXMLParserDelegateProxy.proxy(for: parser)
      await onAnotherQueue { _ = parser.delegate?.parser(parser, resolveExternalEntityName: "a", systemID: nil) }
    }
    expect(result, says: ["RxXMLParserDelegateProxy was called off the main actor, with externalEntity."])
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

/// Runs `call` on another queue, and waits for it without the main actor.
private func onAnotherQueue(_ call: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { continuation in
    DispatchQueue(label: "other").async {
      call()
      continuation.resume()
    }
  }
}

private final class Sounder: SonarDelegate {
  let depths = Recorder<Double>()

  func sonar(_ sonar: Sonar, didMeasure depth: Double) { depths.record(depth) }
}
