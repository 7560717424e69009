/// Sinks in the order of their subscription: a balanced tree that never changes. An event goes through the tree of the
/// moment that it came, whatever is subscribed or ends meanwhile.
///
/// A tree in place of an array, because in generic code an array asks the runtime what its elements are, several times
/// an event, while here each sink has its type from the start.
final class SinkTree<Element: Sendable>: Sendable {
  private let key: UInt64
  private let sink: Sink<Element>
  /// A parent's is greater than its children's. It is random, which keeps the tree balanced.
  private let priority: Int
  private let before: SinkTree?
  private let after: SinkTree?

  /// A tree of one sink. The keys of a subject's sinks ascend.
  convenience init(_ key: UInt64, _ sink: Sink<Element>) {
    self.init(key, sink, priority: key.hashValue, before: nil, after: nil)
  }

  private init(_ key: UInt64, _ sink: Sink<Element>, priority: Int, before: SinkTree?, after: SinkTree?) {
    self.key = key
    self.sink = sink
    self.priority = priority
    self.before = before
    self.after = after
  }

  /// Calls `body` with each sink.
  func forEach(_ body: (Sink<Element>) -> Void) {
    before?.forEach(body)
    body(sink)
    after?.forEach(body)
  }

  /// Sends `element` to each sink that is not disposed when its turn comes.
  func next(_ element: Element) {
    before?.next(element)
    if !sink.isDisposed { sink.next(element) }
    after?.next(element)
  }

  /// This tree with `last`, a tree of one sink, at its end.
  func appending(_ last: SinkTree) -> SinkTree {
    if last.priority > priority { return last.with(before: self, after: nil) }
    return with(before: before, after: after?.appending(last) ?? last)
  }

  /// This tree without the sink of `key`.
  func removing(_ key: UInt64) -> SinkTree? {
    if key < self.key { return with(before: before?.removing(key), after: after) }
    if key > self.key { return with(before: before, after: after?.removing(key)) }
    return Self.joined(before, after)
  }

  private static func joined(_ first: SinkTree?, _ second: SinkTree?) -> SinkTree? {
    guard let first, let second else { return first ?? second }
    if first.priority > second.priority { return first.with(before: first.before, after: joined(first.after, second)) }
    return second.with(before: joined(first, second.before), after: second.after)
  }

  private func with(before: SinkTree?, after: SinkTree?) -> SinkTree {
    SinkTree(key, sink, priority: priority, before: before, after: after)
  }
}
