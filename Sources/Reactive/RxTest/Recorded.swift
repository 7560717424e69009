import Rx

/// A value with the virtual time at which it was produced (RxTest).
public struct Recorded<Value> {
  /// The virtual time at which the value was produced.
  public let time: TestTime

  /// The value.
  public let value: Value

  /// A record of `value` at `time`.
  public init(time: TestTime, value: Value) {
    self.time = time
    self.value = value
  }
}

extension Recorded: Sendable where Value: Sendable {}

extension Recorded: Equatable where Value: Equatable {}

extension Recorded: CustomDebugStringConvertible {
  /// The value and its time, as RxTest prints them: `next(1) @ 210`.
  public var debugDescription: String { "\(value) @ \(time)" }
}

extension Recorded {
  /// A `next` event at `time`: `.next(210, 1)`.
  public static func next<Element>(_ time: TestTime, _ element: Element) -> Recorded<Event<Element>>
  where Value == Event<Element> { Recorded(time: time, value: .next(element)) }

  /// A `completed` event at `time`: `.completed(250)`. `type` is the type of the elements.
  public static func completed<Element>(
    _ time: TestTime, _ type: Element.Type = Element.self
  ) -> Recorded<Event<Element>> where Value == Event<Element> {
    Recorded(time: time, value: .completed)
  }

  /// An `error` event at `time`: `.error(250, Failure.offline)`. `type` is the type of the elements.
  public static func error<Element>(
    _ time: TestTime, _ error: any Swift.Error, _ type: Element.Type = Element.self
  ) -> Recorded<Event<Element>> where Value == Event<Element> {
    Recorded(time: time, value: .error(error))
  }
}

/// Events are equal when they are the same case with equal elements. Errors need not be `Equatable`: they are equal
/// when they are of one type and describe themselves alike, which is what RxTest asks of them.
extension Event: Equatable where Element: Equatable {
  /// Whether two events are equal.
  public static func == (lhs: Event<Element>, rhs: Event<Element>) -> Bool {
    switch (lhs, rhs) {
    case (.next(let left), .next(let right)): left == right
    case (.error(let left), .error(let right)): type(of: left) == type(of: right) && "\(left)" == "\(right)"
    case (.completed, .completed): true
    case (.next, _), (.error, _), (.completed, _): false
    }
  }
}

extension Recorded {
  /// Recorded events as a list, where the compiler needs a hint: `Recorded.events(.next(210, 1), .completed(220))`
  /// (RxTest).
  public static func events<Element>(_ recordedEvents: Recorded<Event<Element>>...) -> [Recorded<Event<Element>>]
  where Value == Event<Element> { recordedEvents }

  /// Recorded events as they are (RxTest).
  public static func events<Element>(_ recordedEvents: [Recorded<Event<Element>>]) -> [Recorded<Event<Element>>]
  where Value == Event<Element> { recordedEvents }
}

/// Equal are the same cases with equal elements; errors are compared as in ``Rx/Event``.
extension MaybeEvent: Equatable where Element: Equatable {
  /// Whether two events are equal.
  public static func == (lhs: MaybeEvent<Element>, rhs: MaybeEvent<Element>) -> Bool { lhs.event == rhs.event }
}

/// Errors are compared as in ``Rx/Event``.
extension CompletableEvent: Equatable {
  /// Whether two events are equal.
  public static func == (lhs: CompletableEvent, rhs: CompletableEvent) -> Bool { lhs.event == rhs.event }
}

/// Equal are the same cases with equal elements.
extension InfallibleEvent: Equatable where Element: Equatable {
  /// Whether two events are equal.
  public static func == (lhs: InfallibleEvent<Element>, rhs: InfallibleEvent<Element>) -> Bool {
    lhs.event == rhs.event
  }
}
