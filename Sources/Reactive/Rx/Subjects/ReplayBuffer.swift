/// The elements that a subject sends to new subscriptions. Its user guards it with a lock.
///
/// What it no longer needs it keeps until `dropStale()`, which is called outside of the lock, by one thread at a time: an
/// element may run anything when it goes away.
///
/// `@unchecked Sendable`: `append` and `dropStale` are called by whoever is inside the subject's gate, `append` and the
/// rest under its lock.
class ReplayBuffer<Element: Sendable>: @unchecked Sendable {
  var isEmpty: Bool { true }

  /// The elements, oldest first.
  var elements: ContiguousArray<Element> { [] }

  func append(_ element: Element) {}

  func dropStale() {}

  /// Gives up the elements; what is returned holds them.
  func removeAll() -> AnyObject? { nil }

  static func make(limit: Int) -> ReplayBuffer<Element> {
    limit == 1 ? LatestBuffer() : QueueBuffer(limit: limit)
  }
}

/// Keeps one element, in memory of its own: assigning it needs nothing but the element type's own functions, which an
/// optional or an array of a generic type would.
final class LatestBuffer<Element: Sendable>: ReplayBuffer<Element>, @unchecked Sendable {
  private let slots = UnsafeMutablePointer<Element>.allocate(capacity: 2)
  // Which slot has the element, and whether the other one has the element before it.
  private var current = 0
  private var isFull = false
  private var isStale = false

  deinit {
    dropStale()
    if isFull { (slots + current).deinitialize(count: 1) }
    slots.deallocate()
  }

  override var isEmpty: Bool { !isFull }

  override var elements: ContiguousArray<Element> {
    isFull ? [slots[current]] : []
  }

  override func append(_ element: Element) {
    isStale = isFull
    if isFull { current = 1 - current }
    (slots + current).initialize(to: element)
    isFull = true
  }

  override func dropStale() {
    guard isStale else { return }
    isStale = false
    // Out of the slot first: what goes away may lead to the next element.
    _ = (slots + (1 - current)).move()
  }

  override func removeAll() -> AnyObject? {
    guard isFull else { return nil }
    isFull = false
    return Remains([(slots + current).move()])
  }
}

/// Keeps the last elements, up to a limit.
final class QueueBuffer<Element: Sendable>: ReplayBuffer<Element>, @unchecked Sendable {
  private let limit: Int
  private var queue: ContiguousArray<Element> = []
  // What is before this index is to be forgotten; it goes when there is as much of it as of the rest.
  private var head = 0
  private var stale: ContiguousArray<Element> = []

  init(limit: Int) {
    self.limit = limit
  }

  override var isEmpty: Bool { head == queue.count }

  override var elements: ContiguousArray<Element> {
    head == 0 ? queue : ContiguousArray(queue[head...])
  }

  override func append(_ element: Element) {
    queue.append(element)
    guard queue.count - head > limit else { return }
    head += 1
    if head > limit {
      stale += queue[..<head]
      queue.removeFirst(head)
      head = 0
    }
  }

  override func dropStale() {
    guard !stale.isEmpty else { return }
    let dropped = stale
    stale = []
    _ = dropped
  }

  override func removeAll() -> AnyObject? {
    let remains = Remains(queue)
    queue = []
    head = 0
    return remains
  }
}

/// Elements on their way out.
private final class Remains<Element> {
  private let elements: ContiguousArray<Element>

  init(_ elements: ContiguousArray<Element>) {
    self.elements = elements
  }
}
