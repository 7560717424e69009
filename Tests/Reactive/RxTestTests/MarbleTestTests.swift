import Foundation
import Rx
import RxTest
import RxTestSupport
import Testing

/// Tests that are written from recorded events; two of them follow as they were written.
@Suite(.inTurn) struct MarbleTestTests {
  /// Records what a sequence sends on a scheduler with virtual time.
  private func trace(_ marbles: String, resolution: Double = 1) throws -> [Recorded<Event<String>>] {
    let scheduler = TestScheduler(initialClock: 0)
    let source = try scheduler.createColdObservable(marbles)
    let result = scheduler.start { source.recorded(resolution: resolution, scheduler: scheduler) }
    return try #require(result.events.first?.value.element)
  }

  @Test func eventsAreRecordedWithTheirTimesSinceTheSubscription() throws {
    #expect(try trace("-a--b|") == [.next(1, "a"), .next(4, "b"), .completed(5)])
    #expect(try trace("---a---(b#)", resolution: 2) == [.next(2, "a"), .next(4, "b"), .error(4, MarbleFailure())])
  }

  @Test func theSourceTextIsATest() throws {
    let file = try String(contentsOfFile: #filePath, encoding: .utf8)
    #expect(file.contains(try trace("-a-b(ab)--|").marbleTest(named: "thisStringWasWritten")))
    let crowded: [Recorded<Event<Int>>] = [.next(0, 7), .next(0, 8), .next(1, 7), .error(2, MarbleFailure())]
    #expect(file.contains(crowded.marbleTest(named: "thisListWasWritten")))
  }

  @Test func moreElementsThanLettersAreAList() {
    let events: [Recorded<Event<Int>>] = (0..<53).map { .next($0, $0) }
    #expect(events.marbleTest(named: "many").contains(".next(52, 52)"))
    #expect(events.dropLast().map { $0 }.marbleTest(named: "few").contains("\"Z\": 51"))
  }
}

@Test func thisStringWasWritten() throws {
  let scheduler = TestScheduler(initialClock: 0)
  let values: [Character: String] = [
    "a": "a",
    "b": "b",
  ]
  let source = try scheduler.createColdObservable("-a-b(ab)--|", values: values)
  let result = scheduler.start(disposed: 211) { source }
  #expect(result.events == (try .marbles("-a-b(ab)--|", values: values)))
}

@Test func thisListWasWritten() throws {
  let scheduler = TestScheduler(initialClock: 0)
  let events: [Recorded<Event<Int>>] = [
    .next(0, 7),
    .next(0, 8),
    .next(1, 7),
    .error(2, MarbleFailure()),
  ]
  let source = scheduler.createColdObservable(events)
  let result = scheduler.start(disposed: 203) { source }
  #expect(result.events == events.map { Recorded(time: $0.time + 200, value: $0.value) })
}
