extension ObservableType {
  /// All elements but the first `count` (RxSwift).
  public func skip(_ count: Int) -> Observable<Element> {
    stage(count) { stage, element in
      if stage.state > 0 { stage.state -= 1 } else { stage.send(element) }
    }
  }

  /// All elements from the first that does not satisfy `predicate`; its error ends the sequence (RxSwift).
  public func skip(while predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
    stage(true) { stage, element in
      if stage.state, try predicate(element) { return }
      stage.state = false
      stage.send(element)
    }
  }

  /// The elements that come after the first element of `other`. An error of `other` ends the sequence (RxSwift). If
  /// this sequence completes before `other` has sent an element, the result ends without an event, as in RxSwift.
  public func skip<Source: ObservableConvertibleType>(until other: Source) -> Observable<Element> {
    let (source, other) = (asObservable(), other.asObservable())
    return Observable { downstream in
      let sink = LockedStage<Element, Element, Bool>(
        downstream, false,
        onCompleted: { sink in if sink.current { sink.sendEnd() } else { sink.dispose() } },
        onNext: { sink, element in sink.send(element, if: { $0 }) })
      let sourceSubscription = source.subscribe(sink)
      let otherSubscription = SingleAssignmentDisposable()
      otherSubscription.setDisposable(
        sink.observe(other) { _ in
          sink.change { $0 = true }
          otherSubscription.dispose()
        })
      // The sink itself would not do: when it ends without an event, only this disposable cuts it off from downstream.
      let subscription = Disposables.create(
        sourceSubscription, otherSubscription, Disposables.create(with: sink.dispose))
      sink.setUpstream(subscription)
      return subscription
    }
  }
}
