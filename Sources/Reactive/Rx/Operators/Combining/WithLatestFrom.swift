extension ObservableType {
  /// The results of `resultSelector` for each element and the latest one of `second`; elements that come before the
  /// first of `second` are lost. An error of either ends the sequence, as does an error of `resultSelector`; the
  /// completion of `second` does not (RxSwift).
  public func withLatestFrom<Source: ObservableConvertibleType, Result: Sendable>(
    _ second: Source, resultSelector: @escaping @Sendable (Element, Source.Element) throws -> Result
  ) -> Observable<Result> {
    let (first, second) = (asObservable(), second.asObservable())
    return Observable { downstream in
      let sink = LockedStage<Element, Result, Source.Element?>(downstream, nil) { sink, element in
        guard let latest = sink.current else { return }
        sink.send(try resultSelector(element, latest))
      }
      let secondSubscription = sink.observe(second) { element in sink.change { $0 = element } }
      sink.setUpstream(Disposables.create(first.subscribe(sink), secondSubscription))
      return sink
    }
  }

  /// The latest element of `second` at each element of this sequence (RxSwift).
  public func withLatestFrom<Source: ObservableConvertibleType>(_ second: Source) -> Observable<Source.Element> {
    withLatestFrom(second) { $1 }
  }

  /// At each element of `sampler`, and when it completes, the latest element of this sequence since the last time, or
  /// else `defaultValue` if there is one. Ends with the first tick after this sequence has completed (RxSwift).
  public func sample<Source: ObservableConvertibleType>(
    _ sampler: Source, defaultValue: Element? = nil
  ) -> Observable<Element> {
    let (source, sampler) = (asObservable(), sampler.asObservable())
    return Observable { downstream in
      let sourceSubscription = SingleAssignmentDisposable()
      let sink = LockedStage<Element, Element, SampleState<Element>>(
        downstream, SampleState(), nests: false,
        onCompleted: { sink in
          sink.change { $0.isSourceDone = true }
          sourceSubscription.dispose()
        },
        onNext: { sink, element in sink.change { $0.latest = element } })
      sourceSubscription.setDisposable(source.subscribe(sink))
      let tick: @Sendable () -> Void = {
        if let element = sink.change({ $0.latest.take() }) ?? defaultValue { sink.send(element) }
        if sink.change({ $0.isSourceDone }) { sink.sendEnd() }
      }
      let samplerSubscription = sink.observe(sampler, onCompleted: tick) { _ in tick() }
      sink.setUpstream(Disposables.create(sourceSubscription, samplerSubscription))
      return sink
    }
  }
}

private struct SampleState<Element: Sendable>: Sendable {
  /// The latest element since the last tick.
  var latest: Element?
  var isSourceDone = false
}
