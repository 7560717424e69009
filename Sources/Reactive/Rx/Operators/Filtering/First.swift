extension ObservableType {
  /// A single of the first element, `nil` if there is none (RxSwift's `first`).
  public func first() -> Single<Element?> {
    PrimitiveSequence(raw: lift { FirstSink($0) })
  }
}

/// `@unchecked Sendable`: see ``FinishingSink``.
private final class FirstSink<Element: Sendable>: FinishingSink<Element, Element?>, @unchecked Sendable {
  override func next(_ element: Element) {
    guard !isDisposed else { return }
    downstream.next(element)
    finish()
  }

  override func completed() {
    guard !isDisposed else { return }
    downstream.next(nil)
    finish()
  }
}
