/// The elements that a subject sends to new subscriptions. Its user guards it.
class ReplayBuffer<Element: Sendable> {
  var isEmpty: Bool { true }

  /// The elements, oldest first.
  var elements: ContiguousArray<Element> { [] }

  func append(_ element: Element) {}

  func removeAll() {}

  static func make(limit: Int) -> ReplayBuffer<Element> {
    limit == 1 ? LatestBuffer() : QueueBuffer(limit: limit)
  }
}

/// Keeps one element, in memory of its own: assigning it needs nothing but the element type's own functions, which an
/// optional or an array of a generic type would.
final class LatestBuffer<Element: Sendable>: ReplayBuffer<Element> {
  private let slot = UnsafeMutablePointer<Element>.allocate(capacity: 1)
  private var isFull = false

  deinit {
    removeAll()
    slot.deallocate()
  }

  override var isEmpty: Bool { !isFull }

  override var elements: ContiguousArray<Element> {
    isFull ? [slot.pointee] : []
  }

  override func append(_ element: Element) {
    if isFull {
      slot.pointee = element
    } else {
      slot.initialize(to: element)
      isFull = true
    }
  }

  override func removeAll() {
    if isFull { slot.deinitialize(count: 1) }
    isFull = false
  }
}

/// Keeps the last elements, up to a limit.
final class QueueBuffer<Element: Sendable>: ReplayBuffer<Element> {
  private let limit: Int
  private var queue: ContiguousArray<Element> = []
  // What is before this index is to be forgotten; it goes when there is as much of it as of the rest.
  private var head = 0

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
      queue.removeFirst(head)
      head = 0
    }
  }

  override func removeAll() {
    queue = []
    head = 0
  }
}
