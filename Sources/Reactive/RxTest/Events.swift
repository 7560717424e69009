import Rx

extension Recorded {
  /// Recorded events as a list, where the compiler needs a hint: `let events = Recorded.events(.next(210, 1), .completed(220))`
  /// (RxTest's `events(_:)`).
  public static func events<Element>(_ recordedEvents: Recorded<Event<Element>>...) -> [Recorded<Event<Element>>]
  where Value == Event<Element> {
    recordedEvents
  }

  /// Recorded events as they are (RxTest's `events(_:)`).
  public static func events<Element>(_ recordedEvents: [Recorded<Event<Element>>]) -> [Recorded<Event<Element>>]
  where Value == Event<Element> {
    recordedEvents
  }
}

/// Equal are the same cases with equal elements; errors are compared as in ``Rx/Event``.
extension MaybeEvent: Equatable where Element: Equatable {
  /// Whether two events are equal.
  public static func == (lhs: MaybeEvent<Element>, rhs: MaybeEvent<Element>) -> Bool {
    switch (lhs, rhs) {
    case (.success(let left), .success(let right)): left == right
    case (.error(let left), .error(let right)): areEqual(left, right)
    case (.completed, .completed): true
    case (.success, _), (.error, _), (.completed, _): false
    }
  }
}

/// Errors are compared as in ``Rx/Event``.
extension CompletableEvent: Equatable {
  /// Whether two events are equal.
  public static func == (lhs: CompletableEvent, rhs: CompletableEvent) -> Bool {
    switch (lhs, rhs) {
    case (.error(let left), .error(let right)): areEqual(left, right)
    case (.completed, .completed): true
    case (.error, _), (.completed, _): false
    }
  }
}

/// Equal are the same cases with equal elements.
extension InfallibleEvent: Equatable where Element: Equatable {
  /// Whether two events are equal.
  public static func == (lhs: InfallibleEvent<Element>, rhs: InfallibleEvent<Element>) -> Bool {
    lhs.event == rhs.event
  }
}
