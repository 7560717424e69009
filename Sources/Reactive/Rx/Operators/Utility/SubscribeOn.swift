extension ObservableType {
  /// The same sequence, subscribed to and unsubscribed from on `scheduler` (RxSwift's `subscribe(on:)`). Its events
  /// come where the source sends them; see ``observe(on:)``.
  public func subscribe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    SubscribeOn(source: asObservable(), scheduler: scheduler)
  }
}

private final class SubscribeOn<Element: Sendable>: Producer<Element>, @unchecked Sendable {
  private let source: Observable<Element>
  private let scheduler: any ImmediateSchedulerType

  init(source: Observable<Element>, scheduler: any ImmediateSchedulerType) {
    self.source = source
    self.scheduler = scheduler
  }

  override func run(_ downstream: Sink<Element>) -> any Disposable {
    let sink = SubscribeOnSink(downstream)
    let serial = SerialDisposable()
    let scheduled = SingleAssignmentDisposable()
    serial.disposable = scheduled
    scheduled.setDisposable(
      scheduler.schedule(()) { [source, scheduler] _ in
        serial.disposable = ScheduledDisposable(scheduler: scheduler, disposable: source.subscribe(sink))
        return Disposables.create()
      })
    sink.setUpstream(serial)
    return sink
  }
}

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
