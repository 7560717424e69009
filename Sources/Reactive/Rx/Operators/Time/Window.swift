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
    return Producer { downstream in
      let sink = WindowSink<Element>(downstream, timeSpan, count, scheduler)
      sink.begin()
      return sink.connect(source)
    }
  }
}

/// No thread waits for a receiver: events that arrive while it is busy follow later on the receiver's thread.
///
/// `@unchecked Sendable`: `window`, `elements` and `number` are touched inside of `gate` only.
private final class WindowSink<Element: Sendable>: SplitSink<Element, Observable<Element>>, @unchecked Sendable {
  private let timeSpan: RxTimeInterval
  private let count: Int
  private let scheduler: any SchedulerType
  private let gate = SerialGate()
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
    gate.run { self.beginWindow() }
  }

  override func next(_ element: Element) {
    gate.run { self.receive(element) }
  }

  override func error(_ error: any Error) {
    endAll(.error(error), .error(error))
  }

  override func completed() {
    endAll(.completed, .completed)
  }

  override func sourceGone() {
    gate.run { self.goAway() }
  }

  override func didDispose() {
    timer.dispose()
  }

  private func beginWindow() {
    elements = 0
    number &+= 1
    let begun = number
    if let window { send(part(window)) }
    guard begun == number, !isDisposed else { return }
    let next = SingleAssignmentDisposable()
    timer.disposable = next
    next.setDisposable(
      scheduler.scheduleRelative(begun, dueTime: timeSpan) { number in
        self.gate.run { self.end(number) }
        return Disposables.create()
      })
  }

  private func receive(_ element: Element) {
    guard !isDisposed else { return }
    // Sending may cause the next element.
    elements += 1
    let isLast = elements == count
    window?.onNext(element)
    if isLast, !isDisposed { beginNext() }
  }

  /// Ends the window with that number, if it has not ended yet.
  private func end(_ number: UInt64) {
    if number == self.number, !isDisposed { beginNext() }
  }

  private func beginNext() {
    let old = window
    window = PublishSubject()
    old?.onCompleted()
    beginWindow()
  }

  private func goAway() {
    // Before the window, whose release tells its subscribers.
    super.sourceGone()
    window = nil
  }

  private func endAll(_ windowEnd: Event<Element>, _ end: Event<Observable<Element>>) {
    gate.run {
      guard !self.isDisposed else { return }
      self.window?.on(windowEnd)
      self.end(end)
    }
  }
}
