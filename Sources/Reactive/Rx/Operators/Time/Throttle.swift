import Dispatch

extension ObservableType {
  /// At most one element each `dueTime`: the first at once, and when the time is over the latest that came meanwhile,
  /// unless `latest` is false: then those are lost (RxSwift's `throttle`).
  public func throttle(
    _ dueTime: RxTimeInterval, latest: Bool = true, scheduler: any SchedulerType
  ) -> Observable<Element> {
    let source = asObservable()
    return OperatorProducer { downstream in
      ThrottleSink(downstream, dueTime: dueTime, latest: latest, scheduler: scheduler).connect(source)
    }
  }
}

/// `@unchecked Sendable`: see ``LockedSink``.
private final class ThrottleSink<Element: Sendable>: LockedSink<Element, Element>, @unchecked Sendable {
  private let dueTime: RxTimeInterval
  private let sendsLatest: Bool
  private let scheduler: any SchedulerType
  private let sourceSubscription = SingleAssignmentDisposable()
  private let timer = SerialDisposable()
  private var lastSent: RxTime?
  private var pending: Element?
  private var isSourceDone = false

  init(_ downstream: Sink<Element>, dueTime: RxTimeInterval, latest: Bool, scheduler: any SchedulerType) {
    self.dueTime = dueTime
    sendsLatest = latest
    self.scheduler = scheduler
    super.init(downstream)
  }

  func connect(_ source: Observable<Element>) -> Self {
    sourceSubscription.setDisposable(source.subscribe(self))
    setUpstream(Disposables.create(sourceSubscription, timer))
    return self
  }

  override func receive(_ element: Element) {
    let wait = lastSent.map { dueTime.remaining(since: $0, at: scheduler.now) } ?? .nanoseconds(0)
    if wait == .nanoseconds(0) { return send(element) }
    guard sendsLatest else { return }
    let isScheduled = pending != nil
    pending = element
    if !isScheduled { schedule(after: wait) }
  }

  override func receiveCompleted() {
    guard pending != nil else { return finish() }
    isSourceDone = true
    sourceSubscription.dispose()
  }

  private func schedule(after wait: RxTimeInterval) {
    let next = SingleAssignmentDisposable()
    timer.disposable = next
    next.setDisposable(
      scheduler.scheduleRelative((), dueTime: wait) { _ in
        self.locked {
          if let element = self.pending { self.send(element) }
          if self.isSourceDone, !self.isDisposed { self.finish() }
        }
        return Disposables.create()
      })
  }

  private func send(_ element: Element) {
    pending = nil
    downstream.next(element)
    // The time begins when the element has been dealt with.
    lastSent = scheduler.now
  }
}
