extension ObservableType {
  /// Arrays of the elements since the last one, sent when there are `count`, when `timeSpan` is over, even if there are
  /// none, and on completion (RxSwift's `buffer`).
  public func buffer(
    timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType
  ) -> Observable<[Element]> {
    let source = asObservable()
    return OperatorProducer { downstream in
      BufferSink(downstream, timeSpan: timeSpan, count: count, scheduler: scheduler).connect(source)
    }
  }
}

/// `@unchecked Sendable`: see ``LockedSink``.
private final class BufferSink<Element: Sendable>: LockedSink<Element, [Element]>, @unchecked Sendable {
  private let timeSpan: RxTimeInterval
  private let count: Int
  private let scheduler: any SchedulerType
  private let timer = SerialDisposable()
  private var buffer: [Element] = []
  private var window = 0

  init(_ downstream: Sink<[Element]>, timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType) {
    self.timeSpan = timeSpan
    self.count = count
    self.scheduler = scheduler
    super.init(downstream)
  }

  func connect(_ source: Observable<Element>) -> Self {
    startTimer()
    setUpstream(Disposables.create(timer, source.subscribe(self)))
    return self
  }

  override func receive(_ element: Element) {
    buffer.append(element)
    if buffer.count == count { sendWindow() }
  }

  override func receiveCompleted() {
    downstream.next(buffer)
    finish()
  }

  private func sendWindow() {
    window &+= 1
    let (sent, sentWindow) = (buffer, window)
    buffer = []
    downstream.next(sent)
    // Unless the next window is over as well by now.
    if window == sentWindow, !isDisposed { startTimer() }
  }

  private func startTimer() {
    let next = SingleAssignmentDisposable()
    timer.disposable = next
    next.setDisposable(
      scheduler.scheduleRelative(window, dueTime: timeSpan) { window in
        self.locked {
          if window == self.window { self.sendWindow() }
        }
        return Disposables.create()
      })
  }
}
