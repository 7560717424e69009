extension ObservableType {
  /// Sequences of the elements, one after the other: the next one begins when one has had `count` elements, or when
  /// `timeSpan` is over. The first begins at once, the last ends with this sequence (RxSwift's `window`).
  ///
  /// A window that is subscribed to goes on when the subscription to the windows is disposed of. Subscribe to a window when
  /// it comes: it does not repeat elements.
  public func window(
    timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType
  ) -> Observable<Observable<Element>> {
    let source = asObservable()
    return OperatorProducer { downstream in
      let sink = WindowSink<Element>(downstream, timeSpan, count, scheduler)
      sink.begin()
      return sink.connect(source)
    }
  }
}

/// `@unchecked Sendable`: `lock` guards `window`, `elements` and `number`.
private final class WindowSink<Element: Sendable>: SplitSink<Element, Observable<Element>>, @unchecked Sendable {
  private let timeSpan: RxTimeInterval
  private let count: Int
  private let scheduler: any SchedulerType
  private let lock = RecursiveLock()
  private let timer = SerialDisposable()
  private var window: PublishSubject<Element>? = PublishSubject()
  private var elements = 0
  /// The number of the current window. A timer that fires although it was cancelled has an older one.
  private var number: UInt64 = 0

  init(
    _ downstream: Sink<Observable<Element>>, _ timeSpan: RxTimeInterval, _ count: Int, _ scheduler: any SchedulerType
  ) {
    self.timeSpan = timeSpan
    self.count = count
    self.scheduler = scheduler
    super.init(downstream)
  }

  /// Sends the current window, and waits for its end.
  func begin() {
    lock.withLock {
      elements = 0
      number &+= 1
      let begun = number
      if let window { send(part(window)) }
      guard begun == number, !isDisposed else { return }
      let next = SingleAssignmentDisposable()
      timer.disposable = next
      next.setDisposable(
        scheduler.scheduleRelative(begun, dueTime: timeSpan) { number in
          self.timeIsOver(number)
          return Disposables.create()
        })
    }
  }

  override func next(_ element: Element) {
    lock.withLock {
      guard !isDisposed else { return }
      // What is sent may lead to the next element.
      elements += 1
      let isLast = elements == count
      window?.onNext(element)
      if isLast, !isDisposed { beginNext() }
    }
  }

  override func error(_ error: any Error) {
    endAll(.error(error), .error(error))
  }

  override func completed() {
    endAll(.completed, .completed)
  }

  override func sourceGone() {
    // Releasing the window tells its subscribers. That happens outside of the lock.
    let last = lock.withLock { window.take() }
    super.sourceGone()
    withExtendedLifetime(last) {}
  }

  override func didDispose() {
    timer.dispose()
  }

  private func timeIsOver(_ number: UInt64) {
    lock.withLock {
      if number == self.number, !isDisposed { beginNext() }
    }
  }

  private func beginNext() {
    let old = window
    window = PublishSubject()
    old?.onCompleted()
    begin()
  }

  private func endAll(_ windowEnd: Event<Element>, _ end: Event<Observable<Element>>) {
    lock.withLock {
      guard !isDisposed else { return }
      window?.on(windowEnd)
      self.end(end)
    }
  }
}
