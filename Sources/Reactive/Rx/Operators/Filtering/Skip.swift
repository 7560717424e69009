extension ObservableType {
  /// All elements but the first `count` (RxSwift's `skip(_:)`).
  public func skip(_ count: Int) -> Observable<Element> {
    lift { SkipSink($0, count: count) }
  }
}

/// `@unchecked Sendable`: see ``Sink``.
private final class SkipSink<Element: Sendable>: OperatorSink<Element, Element>, @unchecked Sendable {
  private var remaining: Int

  init(_ downstream: Sink<Element>, count: Int) {
    remaining = count
    super.init(downstream)
  }

  override func next(_ element: Element) {
    if remaining <= 0 {
      downstream.next(element)
    } else {
      remaining -= 1
    }
  }
}
