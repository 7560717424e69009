extension ObservableType {
  /// Sequences of the elements, one after the other: the next one begins when one has had `count` elements, or when
  /// `timeSpan` is over. The first begins at once, the last ends with this sequence (RxSwift).
  ///
  /// A window goes on without a subscription to the windows. Subscribe to it when it comes: elements are not repeated.
  public func window(
    timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType
  ) -> Observable<Observable<Element>> {
    let source = asObservable()
    return Observable { downstream in
      let windows = Windows<Element>(Split(downstream), timeSpan, count, scheduler)
      let sink = ClosureSink<Element>(
        onNext: { windows.receive($1, $0) },
        onEnd: { windows.end($1, $0) },
        onGone: { windows.goAway($0) },
        onDispose: { _ in windows.timer.dispose() })
      windows.begin(sink)
      return windows.split.connect(sink, to: source)
    }
  }
}

/// The windows of a source. Events that arrive while a receiver is busy follow later on the receiver's thread.
///
/// The variables are touched inside of `gate` only.
private final class Windows<Element: Sendable>: Sendable {
  let split: Split<Observable<Element>>
  let timer = SerialDisposable()
  private let timeSpan: RxTimeInterval
  private let count: Int
  private let scheduler: any SchedulerType
  private let gate = SerialGate()
  private nonisolated(unsafe) var window: PublishSubject<Element>? = PublishSubject()
  private nonisolated(unsafe) var elements = 0
  /// The number of the current window. A timer that fires although it was cancelled has an older one.
  private nonisolated(unsafe) var number: UInt64 = 0

  init(_ split: Split<Observable<Element>>, _ timeSpan: RxTimeInterval, _ count: Int, _ scheduler: any SchedulerType) {
    self.split = split
    self.timeSpan = timeSpan
    self.count = count
    self.scheduler = scheduler
  }

  /// Sends the current window, and waits for its end.
  func begin(_ sink: AnySink) { gate.run { self.beginWindow(sink) } }

  func receive(_ element: Element, _ sink: AnySink) {
    gate.run {
      guard !sink.isDisposed else { return }
      // Sending may cause the next element.
      self.elements += 1
      let isLast = self.elements == self.count
      self.window?.onNext(element)
      if isLast, !sink.isDisposed { self.beginNext(sink) }
    }
  }

  func end(_ error: (any Error)?, _ sink: AnySink) {
    gate.run {
      guard !sink.isDisposed else { return }
      self.window?.on(Event(end: error))
      self.split.end(error)
    }
  }

  func goAway(_ sink: AnySink) {
    gate.run {
      // Before the window, whose release tells its subscribers.
      self.split.sourceGone()
      sink.dispose()
      self.window = nil
    }
  }

  private func beginWindow(_ sink: AnySink) {
    elements = 0
    number &+= 1
    let begun = number
    if let window { split.send(split.part(window)) }
    guard begun == number, !sink.isDisposed else { return }
    let next = SingleAssignmentDisposable()
    timer.disposable = next
    next.setDisposable(
      scheduler.scheduleRelative(begun, dueTime: timeSpan) { number in
        self.gate.run {
          if number == self.number, !sink.isDisposed { self.beginNext(sink) }
        }
        return Disposables.create()
      })
  }

  private func beginNext(_ sink: AnySink) {
    let old = window
    window = PublishSubject()
    old?.onCompleted()
    beginWindow(sink)
  }
}
