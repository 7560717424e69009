extension ObservableType {
  /// The events of this sequence as elements, an error too; then it completes (RxSwift's `materialize`).
  public func materialize() -> Observable<Event<Element>> {
    lift { MaterializeSink($0) }
  }
}

extension ObservableType where Element: EventConvertible {
  /// The sequence whose events this one sends as elements; the opposite of `materialize` (RxSwift's `dematerialize`).
  public func dematerialize() -> Observable<Element.Element> {
    stage { stage, element in
      switch element.event {
      case .next(let element): stage.send(element)
      case .error(let error): stage.finish(error)
      case .completed: stage.finish()
      }
    }
  }
}

/// `@unchecked Sendable`: it has no state.
private final class MaterializeSink<Element: Sendable>: OperatorSink<Element, Event<Element>>, @unchecked Sendable {
  override func next(_ element: Element) {
    if !isDisposed { downstream.next(.next(element)) }
  }

  override func error(_ error: any Error) {
    end(.error(error))
  }

  override func completed() {
    end(.completed)
  }

  private func end(_ event: Event<Element>) {
    guard !isDisposed else { return }
    downstream.next(event)
    // The receiver may have disposed of it.
    if !isDisposed { finish() }
  }
}
