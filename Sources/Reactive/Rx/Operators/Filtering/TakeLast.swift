extension ObservableType {
  /// The last `count` elements, sent when this sequence completes (RxSwift's `takeLast`, which traps if `count` is
  /// negative; here that is none).
  public func takeLast(_ count: Int) -> Observable<Element> {
    lift { TakeLastSink($0, count: count) }
  }
}

/// `@unchecked Sendable`: see ``Sink``.
private final class TakeLastSink<Element: Sendable>: OperatorSink<Element, Element>, @unchecked Sendable {
  private let count: Int
  private var elements = Queue<Element>()

  init(_ downstream: Sink<Element>, count: Int) {
    self.count = max(0, count)
    super.init(downstream)
  }

  override func next(_ element: Element) {
    elements.append(element)
    if elements.count > count { _ = elements.popFirst() }
  }

  override func completed() {
    while !isDisposed, let element = elements.popFirst() {
      downstream.next(element)
    }
    downstream.completed()
  }
}
