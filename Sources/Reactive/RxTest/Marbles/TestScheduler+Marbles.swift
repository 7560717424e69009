import Rx

extension TestScheduler {
  /// A hot sequence from a marble string, see ``Swift/Array/marbles(_:values:error:at:tick:)`` for the signs. The frame
  /// of the `^`, or the first, is when ``start(_:)`` subscribes: at 200. What comes in that frame or before it, a
  /// subscription made then does not see.
  ///
  ///     let taps = try scheduler.createHotObservable("-a-^--b--c|", values: ["a": 1, "b": 2, "c": 3])
  ///
  /// - Throws: ``MarbleError`` with the place of the mistake.
  public func createHotObservable<Element>(
    _ marbles: String, values: [Character: Element], error: any Error = MarbleFailure(), tick: TestTime = 1
  ) throws(MarbleError) -> TestableObservable<Element> {
    createHotObservable(try .marbles(marbles, values: values, error: error, tick: tick))
  }

  /// A hot sequence of strings from a marble string, each character standing for itself.
  ///
  /// - Throws: ``MarbleError`` with the place of the mistake.
  public func createHotObservable(
    _ marbles: String, error: any Error = MarbleFailure(), tick: TestTime = 1
  ) throws(MarbleError) -> TestableObservable<String> {
    createHotObservable(try .marbles(marbles, error: error, tick: tick))
  }

  /// A cold sequence from a marble string, see ``Swift/Array/marbles(_:values:error:at:tick:)`` for the signs. The first
  /// frame is the time of the subscription.
  ///
  ///     let answer = try scheduler.createColdObservable("---a|", values: ["a": 42])
  ///
  /// - Throws: ``MarbleError`` with the place of the mistake; a `^` is one.
  public func createColdObservable<Element>(
    _ marbles: String, values: [Character: Element], error: any Error = MarbleFailure(), tick: TestTime = 1
  ) throws(MarbleError) -> TestableObservable<Element> {
    let diagram = try MarbleDiagram(marbles)
    if let mark = diagram.marks.first(where: { $0.sign == "^" }) {
      throw diagram.error(.misplacedSubscription, mark)
    }
    return createColdObservable(try .marbles(marbles, values: values, error: error, at: 0, tick: tick))
  }

  /// A cold sequence of strings from a marble string, each character standing for itself.
  ///
  /// - Throws: ``MarbleError`` with the place of the mistake; a `^` is one.
  public func createColdObservable(
    _ marbles: String, error: any Error = MarbleFailure(), tick: TestTime = 1
  ) throws(MarbleError) -> TestableObservable<String> {
    try createColdObservable(marbles, values: literalValues(marbles), error: error, tick: tick)
  }
}
