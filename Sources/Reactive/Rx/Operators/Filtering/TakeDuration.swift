extension ObservableType {
  /// The elements that come within `duration` of the subscription; then it completes (RxSwift's
  /// `take(for:scheduler:)`).
  public func take(for duration: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    let source = asObservable()
    return OperatorProducer { downstream in
      let sink = PassingSink(downstream)
      let timer = scheduler.scheduleRelative((), dueTime: duration) { _ in
        sink.locked { sink.finish() }
        return Disposables.create()
      }
      sink.setUpstream(Disposables.create(timer, source.subscribe(sink)))
      return sink
    }
  }
}
