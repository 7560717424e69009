extension ObservableType {
  /// A sequence of the elements, each with its index (RxSwift's `enumerated`).
  public func enumerated() -> Observable<(index: Int, element: Element)> {
    lift { EnumeratedSink($0) }
  }
}

/// `@unchecked Sendable`: see ``Sink``.
private final class EnumeratedSink<Element: Sendable>: OperatorSink<Element, (index: Int, element: Element)>,
  @unchecked Sendable
{
  private var index = 0

  override func next(_ element: Element) {
    defer { index += 1 }
    downstream.next((index, element))
  }
}
