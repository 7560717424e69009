extension ObservableType {
  /// The events of this sequence as elements, an error too; then it completes (RxSwift's `materialize`).
  public func materialize() -> Observable<Event<Element>> {
    lift { downstream in
      Stage<Element, Event<Element>, Void>(
        downstream, (),
        onEnd: { stage, error in
          stage.send(error.map { .error($0) } ?? .completed)
          // The receiver may have disposed of it.
          if !stage.isDisposed { stage.finish() }
        },
        step: { stage, element in stage.send(.next(element)) })
    }
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
