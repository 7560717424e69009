/// The elements of one input of a join that wait for the others.
///
/// `@unchecked Sendable`: the join's lock guards the state.
class AnyJoinSlot: @unchecked Sendable {
  /// Whether there is no element to be joined.
  var isEmpty: Bool {
    true
  }
}

/// A slot for elements of one type.
///
/// `@unchecked Sendable`: see ``AnyJoinSlot``.
class JoinSlot<Element: Sendable>: AnyJoinSlot, @unchecked Sendable {
  /// Adds an element.
  func put(_ element: Element) {}

  /// The element to be joined now.
  func take() throws -> Element {
    throw RxError.noElements
  }
}

/// Keeps the latest element.
///
/// `@unchecked Sendable`: see ``AnyJoinSlot``.
final class LatestSlot<Element: Sendable>: JoinSlot<Element>, @unchecked Sendable {
  private var latest: Element?

  override var isEmpty: Bool {
    latest == nil
  }

  override func put(_ element: Element) {
    latest = element
  }

  override func take() throws -> Element {
    guard let latest else { throw RxError.noElements }
    return latest
  }
}

/// Keeps all elements until they are taken, the oldest first.
///
/// `@unchecked Sendable`: see ``AnyJoinSlot``.
final class QueueSlot<Element: Sendable>: JoinSlot<Element>, @unchecked Sendable {
  private var elements = Queue<Element>()

  override var isEmpty: Bool {
    elements.isEmpty
  }

  override func put(_ element: Element) {
    elements.append(element)
  }

  override func take() throws -> Element {
    guard let element = elements.popFirst() else { throw RxError.noElements }
    return element
  }
}
