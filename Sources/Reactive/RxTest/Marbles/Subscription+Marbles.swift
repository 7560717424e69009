extension Subscription {
  /// The subscription that a marble string draws: `^` where it begins and `!` where it is disposed; without a `!` it
  /// never is. Any other sign is an error, `-` and blanks excepted.
  ///
  ///     #expect(source.subscriptions == [try Subscription(marbles: "^---!")])
  ///
  /// - Parameters:
  ///   - diagram: The marble string.
  ///   - start: The time of the first frame: by default 200, when ``TestScheduler/start(_:)`` subscribes.
  ///   - tick: The length of a frame.
  /// - Throws: ``MarbleError`` with the place of the mistake.
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
    let subscribe = start &+ begin &* tick
    if let end {
      self.init(subscribe, start &+ end &* tick)
    } else {
      self.init(subscribe)
    }
  }
}
