extension ObservableType {
  /// The first `count` elements; then it completes. None, and no subscription, if `count` is not positive (RxSwift's
  /// `take(_:)`, which traps if it is negative).
  public func take(_ count: Int) -> Observable<Element> {
    count > 0 ? lift { TakeSink($0, count: count) } : .empty()
  }
}

/// `@unchecked Sendable`: see ``FinishingSink``.
private final class TakeSink<Element: Sendable>: FinishingSink<Element, Element>, @unchecked Sendable {
  private var remaining: Int

  init(_ downstream: Sink<Element>, count: Int) {
    remaining = count
    super.init(downstream)
  }

  override func next(_ element: Element) {
    guard remaining > 0, !isDisposed else { return }
    remaining -= 1
    downstream.next(element)
    if remaining == 0, !isDisposed { finish() }
  }
}
