extension ObservableType {
  /// This sequence, each element and its completion `dueTime` later; an error is not delayed, and overtakes the elements
  /// that are (RxSwift's `delay`).
  public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    let source = asObservable()
    return OperatorProducer { downstream in
      DelaySink(downstream, dueTime: dueTime, scheduler: scheduler).connect(source)
    }
  }
}

/// `@unchecked Sendable`: `lock` guards the state.
private final class DelaySink<Element: Sendable>: OperatorSink<Element, Element>, @unchecked Sendable {
  private let dueTime: RxTimeInterval
  private let scheduler: any SchedulerType
  private let sourceSubscription = SingleAssignmentDisposable()
  private let timer = SerialDisposable()
  private let lock = RecursiveLock()
  private var delayed = Queue<(received: RxTime, event: Event<Element>)>()
  private var isScheduled = false
  private var isSending = false
  private var failure: (any Error)?

  init(_ downstream: Sink<Element>, dueTime: RxTimeInterval, scheduler: any SchedulerType) {
    self.dueTime = dueTime
    self.scheduler = scheduler
    super.init(downstream)
  }

  func connect(_ source: Observable<Element>) -> Self {
    sourceSubscription.setDisposable(source.subscribe(self))
    setUpstream(Disposables.create(sourceSubscription, timer))
    return self
  }

  override func next(_ element: Element) {
    delay(.next(element))
  }

  override func completed() {
    sourceSubscription.dispose()
    delay(.completed)
  }

  override func error(_ error: any Error) {
    sourceSubscription.dispose()
    // While an element is being sent, the sending thread sends the error after it.
    let isSending = lock.withLock {
      delayed.removeAll()
      failure = error
      return self.isSending
    }
    if !isSending { finish(error) }
  }

  private func delay(_ event: Event<Element>) {
    let wasScheduled = lock.withLock {
      delayed.append((scheduler.now, event))
      defer { isScheduled = true }
      return isScheduled
    }
    if !wasScheduled { schedule(after: dueTime) }
  }

  private func schedule(after wait: RxTimeInterval) {
    let next = SingleAssignmentDisposable()
    timer.disposable = next
    next.setDisposable(
      scheduler.scheduleRelative((), dueTime: wait) { _ in
        self.send()
        return Disposables.create()
      })
  }

  /// Sends the event that is due, and schedules the one after it.
  private func send() {
    let due: Event<Element>? = lock.withLock {
      if failure != nil || isDisposed { return nil }
      isSending = true
      return delayed.popFirst()?.event
    }
    guard let due else { return }
    downstream.on(due)
    if due.isStopEvent { return dispose() }

    let wait: RxTimeInterval? = lock.withLock {
      isSending = false
      guard let next = delayed.first else {
        isScheduled = false
        return nil
      }
      return dueTime.remaining(since: next.received, at: scheduler.now)
    }
    if let failure = lock.withLock({ failure }) {
      finish(failure)
    } else if let wait {
      schedule(after: wait)
    }
  }
}
