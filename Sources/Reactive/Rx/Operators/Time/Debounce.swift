extension ObservableType {
  /// The elements that no other one follows within `dueTime`, sent when that is over, or at once on completion
  /// (RxSwift's `debounce`).
  public func debounce(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    let source = asObservable()
    return OperatorProducer { downstream in
      DebounceSink(downstream, dueTime: dueTime, scheduler: scheduler).connect(source)
    }
  }
}

/// `@unchecked Sendable`: see ``LockedSink``.
private final class DebounceSink<Element: Sendable>: LockedSink<Element, Element>, @unchecked Sendable {
  private let dueTime: RxTimeInterval
  private let scheduler: any SchedulerType
  private let timer = SerialDisposable()
  private var pending: Element?
  private var number: UInt64 = 0

  init(_ downstream: Sink<Element>, dueTime: RxTimeInterval, scheduler: any SchedulerType) {
    self.dueTime = dueTime
    self.scheduler = scheduler
    super.init(downstream)
  }

  func connect(_ source: Observable<Element>) -> Self {
    setUpstream(Disposables.create(source.subscribe(self), timer))
    return self
  }

  override func receive(_ element: Element) {
    pending = element
    number &+= 1
    let next = SingleAssignmentDisposable()
    timer.disposable = next
    next.setDisposable(
      scheduler.scheduleRelative(number, dueTime: dueTime) { number in
        self.locked {
          if number == self.number { self.sendPending() }
        }
        return Disposables.create()
      })
  }

  override func receiveCompleted() {
    sendPending()
    finish()
  }

  private func sendPending() {
    if let element = pending.take() { downstream.next(element) }
  }
}
