extension ObservableType {
  /// The events of this sequence as elements, an error too; then it completes (RxSwift's `materialize`).
  public func materialize() -> Observable<Event<Element>> {
    let end: @Sendable (Stage<Element, Event<Element>, Void>, Event<Element>) -> Void = { stage, event in
      stage.send(event)
      // The receiver may have disposed of it.
      if !stage.isDisposed { stage.finish() }
    }
    return lift { downstream in
      Stage(downstream, (), onError: { end($0, .error($1)) }, onCompleted: { end($0, .completed) }) { stage, element in
        stage.send(.next(element))
      }
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
