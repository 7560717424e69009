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
          sink.endSource()
          sink.send { state, _ in
            state.isSourceDone = true
            return state.isLatestActive ? nil : .completed
          }
        },
        onNext: { sink, element in
          let sequence = try selector(element).asObservable()
          let number = sink.change { state in
            state.latest &+= 1
            state.isLatestActive = true
            return state.latest
          }
          let inner = InnerSink<Source.Element>(beside: sink) { element in
            sink.send(element, if: { $0.latest == number })
          } onEnd: { error in
            sink.send { state, _ in
              guard state.latest == number else { return nil }
              if error == nil { state.isLatestActive = false }
              return error != nil || state.isSourceDone ? Event(end: error) : nil
            }
          }
          innerSubscription.disposable = inner
          inner.setUpstream(sequence.subscribe(inner))
        })
      return sink.connect(source, innerSubscription)
    }
  }
}

extension ObservableType where Element: ObservableConvertibleType {
  /// The elements of the latest sequence (RxSwift).
  public func switchLatest() -> Observable<Element.Element> { flatMapLatest { $0 } }
}

private struct SwitchState: Sendable {
  /// The number of the latest sequence.
  var latest = 0
  var isLatestActive = false
  var isSourceDone = false
}
