import Rx
import RxTest
import RxTestSupport
import Testing

@MainActor @Suite(.inTurn) struct MarbleTests {
  private let values: [Character: Int] = ["a": 1, "b": 2, "c": 3]

  @Test(
    arguments: [
      // A character is a frame, blanks take no time, a group happens at its parenthesis and takes its width.
      ("-a--b-c|", [.next(1, 1), .next(4, 2), .next(6, 3), .completed(7)]),
      (" -a  -b ", [.next(1, 1), .next(3, 2)]),
      ("-(ab)-c(b|)", [.next(1, 1), .next(1, 2), .next(6, 3), .next(7, 2), .completed(7)]), ("", []),
    ] as [(String, [Recorded<Event<Int>>])])
  func diagramsAreEvents(_ diagram: String, _ expected: [Recorded<Event<Int>>]) throws {
    let events: [Recorded<Event<Int>>] = try .marbles(diagram, values: values, at: 0)
    #expect(events == expected)
  }

  @Test func aFrameMayBeLongerThanATick() throws {
    let events: [Recorded<Event<Int>>] = try .marbles("--a-#", values: values, error: TestError.second, tick: 10)
    #expect(events == [.next(220, 1), .error(240, TestError.second)])
  }

  @Test func theCaretIsTheStart() throws {
    let events: [Recorded<Event<Int>>] = try .marbles("a--^-b", values: values)
    #expect(events == [.next(197, 1), .next(202, 2)])
  }

  @Test func charactersStandForThemselvesWithoutValues() throws {
    let events: [Recorded<Event<String>>] = try .marbles("x-(yz)|", at: 0)
    #expect(events == [.next(0, "x"), .next(2, "y"), .next(2, "z"), .completed(6)])
  }

  @Test func aValueMayBeCalledLikeASign() throws {
    let events: [Recorded<Event<Int>>] = try .marbles("#|", values: ["#": 9], at: 0)
    #expect(events == [.next(0, 9), .completed(1)])
  }

  @Test(arguments: [
    ("-x", MarbleError.Reason.unknownCharacter, 1), ("a!", .unknownCharacter, 1), ("(ab", .unbalancedGroup, 0),
    ("ab)", .unbalancedGroup, 2), ("(a(b))", .unbalancedGroup, 2), ("(a-b)", .unbalancedGroup, 2),
    ("^-a-^", .misplacedSubscription, 4),
  ])
  func mistakesAreNamed(_ diagram: String, _ reason: MarbleError.Reason, _ position: Int) {
    #expect(throws: MarbleError(reason: reason, diagram: diagram, position: position)) {
      let _: [Recorded<Event<Int>>] = try .marbles(diagram, values: values)
    }
  }

  @Test func aMistakeIsPointedAt() {
    #expect("\(MarbleError(reason: .unknownCharacter, diagram: "--x", position: 2))".hasSuffix("\n--x\n  ⌃"))
  }

  @Test func subscriptionsAreDrawnWithACaretAndABang() throws {
    #expect(try Subscription(marbles: "^---!") == Subscription(200, 204))
    #expect(try Subscription(marbles: "--^-", at: 0, tick: 10) == Subscription(20))
    #expect(throws: MarbleError.self) { try Subscription(marbles: "-!--^") }
    #expect(throws: MarbleError.self) { try Subscription(marbles: "----") }
    #expect(throws: MarbleError.self) { try Subscription(marbles: "^-^-!") }
    #expect(throws: MarbleError.self) { try Subscription(marbles: "^a!") }
  }

  @Test func hotAndColdSequencesAndWhatIsExpectedAreDrawnAlike() throws {
    let scheduler = TestScheduler(initialClock: 0)
    let hot = try scheduler.createHotObservable("a-^-b--c|", values: values)
    let doubled = scheduler.start { hot.map { $0 * 2 } }
    #expect(doubled.events == (try .marbles("  ^-b--c|", values: ["b": 4, "c": 6])))
    #expect(hot.subscriptions == [try Subscription(marbles: "^-----!")])

    let another = TestScheduler(initialClock: 0)
    let cold = try another.createColdObservable("a--b#")
    let result = another.start { cold }
    #expect(result.events == (try .marbles("a--b#")))
    #expect(cold.subscriptions == [try Subscription(marbles: "^---!")])
    #expect(throws: MarbleError.self) { try another.createColdObservable("-^-a") }
  }
}
