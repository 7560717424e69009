import Rx

extension Array {
  /// The events that a marble string draws, to compare with what an observer recorded.
  ///
  ///     #expect(result.events == (try .marbles("--a-(bc)--|", values: ["a": 1, "b": 2, "c": 3])))
  ///
  /// | sign | means |
  /// |---|---|
  /// | `-` | a frame of time in which nothing happens |
  /// | `a` | any other character: a `next` event with its value, one frame |
  /// | `\|` | `completed`, one frame |
  /// | `#` | `error`, one frame |
  /// | `(abc)` | several events at the time of the `(`; takes as many frames as it has characters, here five |
  /// | `^` | the frame that is `start`; without one the first frame is |
  /// | blank | nothing; takes no time |
  ///
  /// - Parameters:
  ///   - diagram: The marble string.
  ///   - values: What each character stands for.
  ///   - error: What `#` stands for.
  ///   - start: The time of the `^` or the first frame: by default 200, when ``TestScheduler/start(_:)`` subscribes.
  ///   - tick: The length of a frame.
  /// - Throws: ``MarbleError`` with the place of the mistake.
  public static func marbles<Value>(
    _ diagram: String, values: [Character: Value], error: any Error = MarbleFailure(),
    at start: TestTime = TestScheduler.Defaults.subscribed, tick: TestTime = 1
  ) throws(MarbleError) -> Self where Element == Recorded<Event<Value>> {
    let diagram = try MarbleDiagram(diagram)
    let origin = try diagram.column(of: "^") ?? 0
    var events: Self = []

    for mark in diagram.marks where mark.sign != "^" {
      let time = start &+ (mark.column - origin) &* tick
      switch (mark.sign, values[mark.sign]) {
      case (_, let value?): events.append(.next(time, value))
      case ("|", nil): events.append(.completed(time))
      case ("#", nil): events.append(.error(time, error))
      default: throw diagram.error(.unknownCharacter, mark)
      }
    }
    return events
  }

  /// The events that a marble string draws, each character standing for itself: `a` is the element `"a"`.
  public static func marbles(
    _ diagram: String, error: any Error = MarbleFailure(), at start: TestTime = TestScheduler.Defaults.subscribed,
    tick: TestTime = 1
  ) throws(MarbleError) -> Self where Element == Recorded<Event<String>> {
    try marbles(diagram, values: literalValues(diagram), error: error, at: start, tick: tick)
  }
}

extension TestScheduler {
  /// A hot sequence from a marble string; for the signs see `Array.marbles(_:values:error:at:tick:)`. ``start(_:)``
  /// subscribes in the frame of the `^`, or the first, at 200, and does not see the events up to then.
  ///
  ///     let taps = try scheduler.createHotObservable("-a-^--b--c|", values: ["a": 1, "b": 2, "c": 3])
  /// Throws ``MarbleError``.
  public func createHotObservable<Element>(
    _ marbles: String, values: [Character: Element], error: any Error = MarbleFailure(), tick: TestTime = 1
  ) throws(MarbleError) -> TestableObservable<Element> {
    createHotObservable(try .marbles(marbles, values: values, error: error, tick: tick))
  }

  /// A hot sequence of strings from a marble string, each character standing for itself. Throws ``MarbleError``.
  public func createHotObservable(
    _ marbles: String, error: any Error = MarbleFailure(), tick: TestTime = 1
  ) throws(MarbleError) -> TestableObservable<String> {
    createHotObservable(try .marbles(marbles, error: error, tick: tick))
  }

  /// A cold sequence from a marble string; its first frame is the time of the subscription. For the signs see
  /// `Array.marbles`.
  ///
  ///     let answer = try scheduler.createColdObservable("---a|", values: ["a": 42])
  /// Throws ``MarbleError``, also at a `^`.
  public func createColdObservable<Element>(
    _ marbles: String, values: [Character: Element], error: any Error = MarbleFailure(), tick: TestTime = 1
  ) throws(MarbleError) -> TestableObservable<Element> {
    let diagram = try MarbleDiagram(marbles)
    if let mark = diagram.marks.first(where: { $0.sign == "^" }) { throw diagram.error(.misplacedSubscription, mark) }
    return createColdObservable(try .marbles(marbles, values: values, error: error, at: 0, tick: tick))
  }

  /// A cold sequence of strings from a marble string, each character standing for itself. Throws ``MarbleError``, also
  /// at a `^`.
  public func createColdObservable(
    _ marbles: String, error: any Error = MarbleFailure(), tick: TestTime = 1
  ) throws(MarbleError) -> TestableObservable<String> {
    try createColdObservable(marbles, values: literalValues(marbles), error: error, tick: tick)
  }
}

extension Subscription {
  /// The subscription that a marble string draws: `^` where it begins and `!` where it is disposed; without a `!` it
  /// never is. Any other sign is an error, `-` and blanks excepted.
  ///
  ///     #expect(source.subscriptions == [try Subscription(marbles: "^---!")])
  ///
  /// The first frame is at `start`, by default 200, when ``TestScheduler/start(_:)`` subscribes; a frame lasts `tick`.
  /// Throws ``MarbleError``.
  public init(
    marbles diagram: String, at start: TestTime = TestScheduler.Defaults.subscribed, tick: TestTime = 1
  ) throws(MarbleError) {
    let diagram = try MarbleDiagram(diagram)
    if let mark = diagram.marks.first(where: { $0.sign != "^" && $0.sign != "!" }) {
      throw diagram.error(.unknownCharacter, mark)
    }
    let end = try diagram.column(of: "!")
    guard let begin = try diagram.column(of: "^"), begin <= end ?? .max else {
      throw MarbleError(reason: .misplacedSubscription, diagram: diagram.text, position: 0)
    }
    self.init(start &+ begin &* tick, end.map { start &+ $0 &* tick } ?? .max)
  }
}

/// Every character of a diagram that is not a sign, standing for itself.
private func literalValues(_ diagram: String) -> [Character: String] {
  let signs: Set<Character> = ["-", "|", "#", "^", "!", "(", ")"]
  let letters = Set(diagram).subtracting(signs).filter { !$0.isWhitespace }
  return Dictionary(uniqueKeysWithValues: letters.map { ($0, String($0)) })
}
