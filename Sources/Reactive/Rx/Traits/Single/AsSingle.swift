extension ObservableType {
  /// This sequence as a single: it fails with ``RxError/noElements`` or ``RxError/moreThanOneElement`` if there is not
  /// exactly one element (RxSwift's `asSingle`).
  public func asSingle() -> Single<Element> {
    PrimitiveSequence(raw: lift { AsSingleSink($0) })
  }
}

/// `@unchecked Sendable`: see ``FinishingSink``.
private final class AsSingleSink<Element: Sendable>: FinishingSink<Element, Element>, @unchecked Sendable {
  private var element: Element?

  override func next(_ element: Element) {
    guard !isDisposed else { return }
    if self.element == nil {
      self.element = element
    } else {
      finish(RxError.moreThanOneElement)
    }
  }

  override func completed() {
    guard !isDisposed else { return }
    if let element {
      downstream.next(element)
      finish()
    } else {
      finish(RxError.noElements)
    }
  }
}
