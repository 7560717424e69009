extension ObservableType {
  /// A sequence of one element (RxSwift's `just`).
  public static func just(_ element: Element) -> Observable<Element> {
    Just(element)
  }

  /// A sequence of one element, sent on `scheduler` (RxSwift's `just`).
  public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    SequenceSource([element], scheduler: scheduler)
  }
}

private final class Just<Element: Sendable>: Observable<Element>, @unchecked Sendable {
  private let element: Element

  init(_ element: Element) {
    self.element = element
  }

  override func subscribe(_ sink: Sink<Element>) -> any Disposable {
    sink.next(element)
    sink.completed()
    return Disposables.create()
  }
}
