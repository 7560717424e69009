extension ObservableType {
  /// The elements up to the first element of `other`; then it completes. An error of `other` ends the sequence too, its
  /// completion does not (RxSwift's `take(until:)`).
  public func take<Source: ObservableType>(until other: Source) -> Observable<Element> {
    let (source, other) = (asObservable(), other.asObservable())
    return OperatorProducer { downstream in
      let sink = PassingSink(downstream)
      let otherSubscription = sink.observe(other) { event in
        switch event {
        case .next: sink.finish()
        case .error(let error): sink.finish(error)
        case .completed: break
        }
      }
      sink.setUpstream(Disposables.create(source.subscribe(sink), otherSubscription))
      return sink
    }
  }
}
