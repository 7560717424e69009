/// Sequences, one after the other.
struct Succession<Element: Sendable> {
  private var iterator: any IteratorProtocol<Observable<Element>>
  private var remaining: Int?

  init<Sequences: Sequence>(_ sequences: Sequences, count: Int?) where Sequences.Element == Observable<Element> {
    iterator = sequences.makeIterator()
    remaining = count
  }

  /// Whether it is known that there are no more.
  var isExhausted: Bool {
    remaining == 0
  }

  mutating func next() -> Observable<Element>? {
    if let remaining { self.remaining = max(0, remaining - 1) }
    return iterator.next()
  }
}
