/// First in, first out; both ends in constant time.
struct Queue<Element: Sendable>: Sendable {
  private var elements: [Element?] = []
  private var head = 0

  var isEmpty: Bool {
    head == elements.count
  }

  var count: Int {
    elements.count - head
  }

  /// The oldest element.
  var first: Element? {
    isEmpty ? nil : elements[head]
  }

  /// The newest element.
  var last: Element? {
    isEmpty ? nil : elements[elements.count - 1]
  }

  /// Calls `body` with all elements, the oldest first.
  func forEach(_ body: (Element) -> Void) {
    for case let element? in elements[head...] { body(element) }
  }

  mutating func append(_ element: Element) {
    elements.append(element)
  }

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
