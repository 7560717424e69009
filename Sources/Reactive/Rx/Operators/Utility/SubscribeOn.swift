extension ObservableType {
  /// The same sequence, subscribed to and unsubscribed from on `scheduler` (RxSwift's `subscribe(on:)`). Its events
  /// come where the source sends them; see ``observe(on:)``.
  public func subscribe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    OperatorProducer { downstream in
      let sink = SubscribeOnSink(downstream)
      let serial = SerialDisposable()
      let scheduled = SingleAssignmentDisposable()
      serial.disposable = scheduled
      scheduled.setDisposable(
        scheduler.schedule(()) { _ in
          serial.disposable = ScheduledDisposable(scheduler: scheduler, disposable: connect(sink))
          return Disposables.create()
        })
      sink.setUpstream(serial)
      return sink
    }
  }

  /// Subscribes `sink` to this sequence itself. Not by way of `asObservable()`, which puts a stage between `sink` and a
  /// user's own sequence that unsubscribes as soon as that has ended, wherever that happens.
  private func connect(_ sink: Sink<Element>) -> any Disposable {
    if let observable = self as? Observable<Element> { return observable.subscribe(sink) }
    return subscribe(AnyObserver(sink: sink))
  }
}

/// `@unchecked Sendable`: immutable.
private final class SubscribeOnSink<Element: Sendable>: OperatorSink<Element, Element>, @unchecked Sendable {
  override func next(_ element: Element) {
    if !isDisposed { downstream.next(element) }
  }

  override func error(_ error: any Error) {
    if !isDisposed { finish(error) }
  }

  override func completed() {
    if !isDisposed { finish() }
  }
}
