extension ObservableType {
  /// The elements of the sequence that `selector` makes of the latest element; its error ends the sequence (RxSwift).
  public func flatMapLatest<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    let source = asObservable()
    return Observable { downstream in
      let innerSubscription = SerialDisposable()
      let sink = LockedStage<Element, Source.Element, SwitchState>(
        downstream, SwitchState(),
        onCompleted: { sink in
          sink.state.isSourceDone = true
          sink.endSource()
          if !sink.state.isLatestActive { sink.sendEnd() }
        },
        onNext: { sink, element in
          let sequence = try sink.unlocked { try selector(element).asObservable() }
          sink.state.latest &+= 1
          sink.state.isLatestActive = true
          let number = sink.state.latest
          let inner = ClosureSink<Source.Element>(beside: sink) { event in
            sink.locked {
              guard number == sink.state.latest else { return }
              switch event {
              case .next(let element): sink.send(element)
              case .error(let error): sink.sendEnd(error)
              case .completed:
                sink.state.isLatestActive = false
                if sink.state.isSourceDone { sink.sendEnd() }
              }
            }
          }
          sink.unlocked {
            innerSubscription.disposable = inner
            inner.setUpstream(sequence.subscribe(inner))
          }
        })
      return sink.connect(source, innerSubscription)
    }
  }
}

extension ObservableType where Element: ObservableConvertibleType {
  /// The elements of the latest sequence (RxSwift).
  public func switchLatest() -> Observable<Element.Element> {
    flatMapLatest { $0 }
  }
}

private struct SwitchState: Sendable {
  /// The number of the latest sequence.
  var latest = 0
  var isLatestActive = false
  var isSourceDone = false
}
