/// What a sequence says: any number of `next`, then at most one `error` or `completed`.
///
/// The Rx grammar, `next* (error | completed)?`, is kept for every subscription (RxSwift).
@frozen
public enum Event<Element: Sendable>: Sendable {
  /// The sequence produced an element.
  case next(Element)
  /// The sequence failed; nothing follows.
  case error(any Swift.Error)
  /// The sequence ended; nothing follows.
  case completed
}

/// What is, or can be turned into, an event (RxSwift): the elements of a sequence that `dematerialize` takes apart.
public protocol EventConvertible<Element>: Sendable {
  /// The type of the event's element.
  associatedtype Element: Sendable

  /// The event.
  var event: Event<Element> { get }
}

extension Event: EventConvertible {
  /// This event.
  public var event: Event<Element> { self }
}

extension Event: CustomDebugStringConvertible {
  /// The event's case with its value, as RxSwift prints it.
  public var debugDescription: String {
    switch self {
    case .next(let value): "next(\(value))"
    case .error(let error): "error(\(error))"
    case .completed: "completed"
    }
  }
}

extension Event {
  /// The end with `error`, or without one the completion.
  init(end error: (any Swift.Error)?) { self = error.map { .error($0) } ?? .completed }

  /// Whether this event ends its sequence.
  public var isStopEvent: Bool {
    switch self {
    case .next: false
    case .error, .completed: true
    }
  }

  /// The element of a `next` event, otherwise `nil`.
  public var element: Element? { if case .next(let value) = self { value } else { nil } }

  /// The error of an `error` event, otherwise `nil`.
  public var error: (any Swift.Error)? { if case .error(let error) = self { error } else { nil } }

  /// Whether this is `completed`.
  public var isCompleted: Bool { if case .completed = self { true } else { false } }

  /// The event with its element transformed; an error thrown by `transform` becomes an `error` event.
  public func map<Result: Sendable>(_ transform: (Element) throws -> Result) -> Event<Result> {
    do {
      switch self {
      case .next(let element): return .next(try transform(element))
      case .error(let error): return .error(error)
      case .completed: return .completed
      }
    } catch {
      return .error(error)
    }
  }
}
