import Rx
import RxTest
import RxTestSupport
import Testing

@Suite(.inTurn) struct RecordedTests {
  private struct Described: Error, CustomStringConvertible {
    let description: String
  }

  @Test func eventsAreEqualByCaseAndElement() {
    #expect(Event.next(1) == .next(1))
    #expect(Event.next(1) != .next(2))
    #expect(Event<Int>.next(1) != .completed)
    #expect(Event<Int?>.next(nil) == .next(nil))
    #expect(Event<Int?>.next(nil) != .next(0))
  }

  @Test func errorsAreEqualByTypeAndDescription() {
    #expect(Event<Int>.error(TestError.first) == .error(TestError.first))
    #expect(Event<Int>.error(TestError.first) != .error(TestError.second))
    #expect(Event<Int>.error(TestError.first) != .error(Described(description: "first")))
    #expect(Event<Int>.error(Described(description: "a")) == .error(Described(description: "a")))
    #expect(Event<Int>.error(Described(description: "a")) != .error(Described(description: "b")))
  }

  @Test func eventsAtDifferentTimesDiffer() {
    #expect(Recorded.next(210, 1) == .next(210, 1))
    #expect(Recorded.next(210, 1) != .next(211, 1))
    #expect(Recorded<Event<Int>>.completed(1) == .completed(1))
    #expect(Recorded.error(5, TestError.first, Int.self) == .error(5, TestError.first))
  }

  @Test func descriptionsAreThoseOfRxTest() {
    #expect(Recorded.next(210, 1).debugDescription == "next(1) @ 210")
    #expect(Recorded<Event<Int>>.completed(3).debugDescription == "completed @ 3")
    #expect(Subscription(200, 250).debugDescription == "(200 : 250)")
    #expect(Subscription(200).debugDescription == "(200 : Infinity)")
  }

  @Test func differencesAreNamedOneByOne() {
    let left: [Recorded<Event<Int>>] = [.next(1, 1), .next(2, 2), .completed(3)]
    let right: [Recorded<Event<Int>>] = [.next(1, 1), .next(2, 5)]

    #expect(differences(left, left) == [])
    #expect(
      differences(left, right) == ["  [1]: next(2) @ 2 is not next(5) @ 2", "  [2]: completed @ 3 is not nothing"])
    #expect(differences([], right).count == 2)
  }
}
