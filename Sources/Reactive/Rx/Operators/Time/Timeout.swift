extension ObservableType {
  /// This sequence, which fails with ``RxError/timeout`` when an element, the first or the next, is not there within
  /// `dueTime` (RxSwift's `timeout(_:scheduler:)`).
  public func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    timeout(dueTime, other: Observable.error(RxError.timeout), scheduler: scheduler)
  }

  /// This sequence, and `other` instead as soon as an element, the first or the next, is not there within `dueTime`
  /// (RxSwift's `timeout(_:other:scheduler:)`).
  public func timeout<Source: ObservableConvertibleType>(
    _ dueTime: RxTimeInterval, other: Source, scheduler: any SchedulerType
  ) -> Observable<Element> where Source.Element == Element {
    let (source, other) = (asObservable(), other.asObservable())
    return OperatorProducer { downstream in
      TimeoutSink(downstream, dueTime: dueTime, other: other, scheduler: scheduler).connect(source)
    }
  }
}

/// `@unchecked Sendable`: `lock` guards `number` and `isOver`.
private final class TimeoutSink<Element: Sendable>: OperatorSink<Element, Element>, @unchecked Sendable {
  private let dueTime: RxTimeInterval
  private let other: Observable<Element>
  private let scheduler: any SchedulerType
  private let subscription = SerialDisposable()
  private let timer = SerialDisposable()
  private let lock = RecursiveLock()
  private var number = 0
  private var isOver = false

  init(
    _ downstream: Sink<Element>, dueTime: RxTimeInterval, other: Observable<Element>, scheduler: any SchedulerType
  ) {
    self.dueTime = dueTime
    self.other = other
    self.scheduler = scheduler
    super.init(downstream)
  }

  func connect(_ source: Observable<Element>) -> Self {
    let original = SingleAssignmentDisposable()
    subscription.disposable = original
    startTimer()
    original.setDisposable(source.subscribe(self))
    setUpstream(Disposables.create(subscription, timer))
    return self
  }

  override func next(_ element: Element) {
    guard wins() else { return }
    downstream.next(element)
    startTimer()
  }

  override func error(_ error: any Error) {
    if wins() { finish(error) }
  }

  override func completed() {
    if wins() { finish() }
  }

  /// Whether the event that has come is in time; if so, the running timer counts no more.
  private func wins() -> Bool {
    lock.withLock {
      if isOver || isDisposed { return false }
      number &+= 1
      return true
    }
  }

  private func startTimer() {
    if timer.isDisposed { return }
    let next = SingleAssignmentDisposable()
    timer.disposable = next
    let number = lock.withLock { self.number }
    next.setDisposable(
      scheduler.scheduleRelative(number, dueTime: dueTime) { number in
        if self.isLate(number) { self.subscription.disposable = self.other.subscribe(self.downstream) }
        return Disposables.create()
      })
  }

  private func isLate(_ number: Int) -> Bool {
    lock.withLock {
      if isOver || isDisposed || number != self.number { return false }
      isOver = true
      return true
    }
  }
}
