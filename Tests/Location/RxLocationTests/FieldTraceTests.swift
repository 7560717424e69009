import Foundation
import LocationKit
import Rx
import RxLocation
import RxTest
import Testing
import TestSupport

/// The article "A field trace becomes a test".
@MainActor @Suite(.inTurn) struct FieldTraceTests {
  @Test func whatASourceSentIsATest() throws {
    let rig = Rig()
    rig.manager.startUpdatingLocation()
    let trace = StreamLog(
      rig.manager.rx.didUpdateLocations.asObservable()
        .map { Int($0[0].coordinate.latitude) }
        .take(8)
        .recorded(scheduler: rig.manager.rx.clock))
    for (second, speed) in [0, 2, 4, 5, 7, 9, 9, 9].enumerated() {
      rig.clock.advance(to: Double(second))
      rig.send(Double(speed))
    }
    let text = try #require(trace.elements.first).marbleTest(named: "speedsArePassedOnEveryFiveSeconds")
    let file = try String(contentsOfFile: #filePath, encoding: .utf8)
    #expect(file.contains(text), "\(text)")
  }
}

@Test func speedsArePassedOnEveryFiveSeconds() throws {
  let scheduler = TestScheduler(initialClock: 0)
  let values: [Character: Int] = [
    "a": 0,
    "b": 2,
    "c": 4,
    "d": 5,
    "e": 7,
    "f": 9,
  ]
  let source = try scheduler.createColdObservable("abcdeff(f|)", values: values)
  let result = scheduler.start(disposed: 208) { source }
  #expect(result.events == (try .marbles("abcdeff(f|)", values: values)))
}
