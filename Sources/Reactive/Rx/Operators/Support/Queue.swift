/// First in, first out; both ends in constant time.
struct Queue<Element: Sendable>: Sendable {
  private var elements: [Element?] = []
  private var head = 0

  var isEmpty: Bool { head == elements.count }

  var count: Int { elements.count - head }

  /// The oldest element.
  var first: Element? { isEmpty ? nil : elements[head] }

  /// The newest element.
  var last: Element? { isEmpty ? nil : elements[elements.count - 1] }

  /// Calls `body` with all elements, the oldest first.
  func forEach(_ body: (Element) -> Void) {
    for case let element? in elements[head...] { body(element) }
  }

  mutating func append(_ element: Element) { elements.append(element) }

  /// Appends `element`, which becomes the oldest one, and removes that.
  mutating func append(exchanging element: inout Element) {
    if count == 1 {
      // Replaced in place: a subject with one value does this all the time.
      if let oldest = elements[head].take() {
        elements[head] = element
        element = oldest
      }
    } else {
      append(element)
      if let oldest = popFirst() { element = oldest }
    }
  }

  /// Removes the oldest element.
  mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    let element = elements[head].take()
    head += 1
    if isEmpty {
      elements.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 32, head * 2 > elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }
}

/// First in, first out, and copied in constant time. A copy has none of the elements that are appended later, which is
/// why only the newest copy may be changed.
struct Line<Element: Sendable>: Sendable {
  private(set) var count = 0
  private var head: Link<Element>?
  private var tail: Link<Element>?

  var isEmpty: Bool { count == 0 }

  /// The oldest element.
  var first: Element? { head?.element }

  /// All elements, the oldest first.
  var elements: [Element] {
    sequence(state: head) { link in
      defer { link = link?.next }
      return link?.element
    }.prefix(count).map { $0 }
  }

  mutating func append(_ element: Element) {
    let last = Link(element)
    tail?.next = last
    if head == nil { head = last }
    tail = last
    count += 1
  }

  /// Removes the oldest element.
  mutating func popFirst() -> Element? {
    guard let oldest = head else { return nil }
    count -= 1
    head = count == 0 ? nil : oldest.next
    if count == 0 { tail = nil }
    return oldest.element
  }
}

/// An element of a ``Line``, or one that a join waits with. `@unchecked Sendable`: whoever changes `next` holds a lock or is
/// inside of a gate.
final class Link<Element: Sendable>: @unchecked Sendable {
  let element: Element
  var next: Link?

  init(_ element: Element) { self.element = element }

  // One after the other: otherwise each would release the next one inside of its own release.
  deinit {
    var rest = next.take()
    while isKnownUniquelyReferenced(&rest) { rest = rest?.next.take() }
  }
}
