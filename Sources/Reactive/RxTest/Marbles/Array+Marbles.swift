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
  ///   - start: The time of the `^` or the first frame: by default 200, when
  ///     ``TestScheduler/start(_:)`` subscribes.
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

/// Every character of a diagram that is not a sign, standing for itself.
func literalValues(_ diagram: String) -> [Character: String] {
  let signs: Set<Character> = ["-", "|", "#", "^", "!", "(", ")"]
  let letters = Set(diagram).subtracting(signs).filter { !$0.isWhitespace }
  return Dictionary(uniqueKeysWithValues: letters.map { ($0, String($0)) })
}
