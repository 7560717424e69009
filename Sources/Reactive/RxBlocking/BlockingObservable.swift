public import Foundation
public import Rx

extension ObservableConvertibleType {
  /// This sequence for a thread that waits for it (RxBlocking). After `timeout` seconds `RxError.timeout` is thrown; by
  /// default it waits for ever.
  public func toBlocking(timeout: TimeInterval? = nil) -> BlockingObservable<Element> {
    BlockingObservable(source: asObservable(), timeout: timeout)
  }
}

/// A sequence whose members wait for it, for tests and command line tools: each blocks its thread (RxBlocking).
///
///     let names = try names(of: session).toBlocking(timeout: 5).toArray()
///
/// The thread that waits cannot do anything else, so nothing else that the sequence needs may belong to it:
///
/// - On the main thread the main run loop goes on, and with it `MainScheduler`, `Driver` and the main actor.
/// - Where the main queue cannot go on, ``BlockingError/mainQueueIsBlocked`` is thrown, unless the sequence has ended
///   at once. That is so in whatever runs *on* the main queue: in a block given to `DispatchQueue.main`, in a method of
///   the main actor after an asynchronous `main()`, in a `@MainActor` test of Swift Testing.
/// - Work that was scheduled on `CurrentThreadScheduler` runs, even inside of another such action.
/// - From a serial queue, do not wait for a sequence that is observed on the same queue: that lasts until the timeout.
///
/// Asynchronous code does not compile with it: there, await `values` or a trait's `value`.
public struct BlockingObservable<Element: Sendable>: Sendable {
  let source: Observable<Element>
  let timeout: TimeInterval?
}

/// What a sequence has sent until its end (RxBlocking).
@frozen
public enum MaterializedSequenceResult<Element: Sendable>: Sendable {
  /// It completed after these elements.
  case completed(elements: [Element])
  /// It failed after these elements, or did not end in time.
  case failed(elements: [Element], error: any Error)
}

/// Why a sequence cannot be waited for.
public enum BlockingError: Error, Equatable, CustomStringConvertible {
  /// The caller occupies the main queue, which the sequence may need.
  case mainQueueIsBlocked

  /// What to do instead.
  public var description: String {
    "A sequence is waited for on the main queue, which cannot go on meanwhile: "
      + "await its `values` instead, or wait on another thread."
  }
}

extension BlockingObservable {
  /// All elements (RxBlocking). Throws the sequence's error.
  @available(*, noasync, message: "await `values` instead")
  public func toArray() throws -> [Element] { try wait().elements() }

  /// The first element, as soon as it is there, or `nil` without one (RxBlocking). Throws the sequence's error.
  @available(*, noasync, message: "await `first().value` of the sequence instead")
  public func first() throws -> Element? { try wait(for: 1).elements().first }

  /// The last element, or `nil` without one (RxBlocking). Throws the sequence's error.
  @available(*, noasync, message: "await `values` instead")
  public func last() throws -> Element? { try wait().elements().last }

  /// The only element (RxBlocking). Throws the sequence's error, `RxError.noElements` or `RxError.moreThanOneElement`.
  @available(*, noasync, message: "await `asSingle().value` of the sequence instead")
  public func single() throws -> Element { try wait(for: 2).onlyElement() }

  /// The only element that satisfies `predicate` (RxBlocking). Throws what `predicate` throws, the sequence's error,
  /// `RxError.noElements` or, at the second such element, `RxError.moreThanOneElement`.
  @available(*, noasync, message: "await `filter(_:).asSingle().value` of the sequence instead")
  public func single(_ predicate: @escaping @Sendable (Element) throws -> Bool) throws -> Element {
    try BlockingObservable(source: source.filter(predicate), timeout: timeout).wait(for: 2).onlyElement()
  }

  /// All elements, and how the sequence ended (RxBlocking).
  @available(*, noasync, message: "await `materialize().values` of the sequence instead")
  public func materialize() -> MaterializedSequenceResult<Element> { wait() }
}

extension MaterializedSequenceResult {
  fileprivate func elements() throws -> [Element] {
    switch self {
    case .completed(let elements): return elements
    case .failed(_, let error): throw error
    }
  }

  fileprivate func onlyElement() throws -> Element {
    let elements = try elements()
    guard let element = elements.first else { throw RxError.noElements }
    guard elements.count == 1 else { throw RxError.moreThanOneElement }
    return element
  }
}
