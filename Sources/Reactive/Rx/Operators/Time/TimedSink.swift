extension ObservableType {
  /// The sequence that an operator with a timer makes of this one. Its closures run one at a time, and none of them
  /// after the end.
  ///
  /// - Parameters:
  ///   - scheduler: Where the timer runs.
  ///   - state: What ``TimedSink/state`` begins with.
  ///   - onSubscribe: Called before the subscription to this sequence.
  ///   - onNext: Called with each element.
  ///   - onError: Called with the error; by default fails with it.
  ///   - onCompleted: Called at the completion; by default completes.
  func timed<Output: Sendable, State: Sendable>(
    on scheduler: any SchedulerType, state: State,
    onSubscribe: @escaping @Sendable (TimedSink<Element, Output, State>) -> Void = { _ in },
    onNext: @escaping @Sendable (TimedSink<Element, Output, State>, Element) -> Void,
    onError: @escaping @Sendable (TimedSink<Element, Output, State>, any Error) -> Void = { $0.finish($1) },
    onCompleted: @escaping @Sendable (TimedSink<Element, Output, State>) -> Void = { $0.finish() }
  ) -> Observable<Output> {
    let source = asObservable()
    return Producer { downstream in
      let sink = TimedSink(downstream, state, scheduler, onNext, onError, onCompleted)
      sink.locked { onSubscribe(sink) }
      return sink.connect(source)
    }
  }
}

/// A sink with one source and one timer.
///
/// `@unchecked Sendable`: `lock` guards `state`, `isSourceOver` and `timerNumber`.
final class TimedSink<Input: Sendable, Output: Sendable, State: Sendable>: LockedSink<Input, Output>,
  @unchecked Sendable
{
  /// What the operator knows.
  var state: State

  private let scheduler: any SchedulerType
  private let onNext: @Sendable (TimedSink, Input) -> Void
  private let onError: @Sendable (TimedSink, any Error) -> Void
  private let onCompleted: @Sendable (TimedSink) -> Void
  private let source = SerialDisposable()
  /// Whether events of the source are ignored. One of them may still be waiting for the lock.
  private var isSourceOver = false
  private let timer = SerialDisposable()
  /// The number of the current timer. A cancelled timer that still fires has an older number.
  private var timerNumber: UInt64 = 0

  fileprivate init(
    _ downstream: Sink<Output>, _ state: State, _ scheduler: any SchedulerType,
    _ onNext: @escaping @Sendable (TimedSink, Input) -> Void,
    _ onError: @escaping @Sendable (TimedSink, any Error) -> Void,
    _ onCompleted: @escaping @Sendable (TimedSink) -> Void
  ) {
    self.state = state
    self.scheduler = scheduler
    self.onNext = onNext
    self.onError = onError
    self.onCompleted = onCompleted
    super.init(downstream)
  }

  fileprivate func connect(_ source: Observable<Input>) -> Self {
    // The timer may fire and replace the source before this has subscribed to it.
    let subscription = SingleAssignmentDisposable()
    self.source.disposable = subscription
    subscription.setDisposable(source.subscribe(self))
    setUpstream(Disposables.create(self.source, timer))
    return self
  }

  override func receive(_ element: Input) {
    if !isSourceOver { onNext(self, element) }
  }

  override func receive(error: any Error) {
    if !isSourceOver { onError(self, error) }
  }

  override func receiveCompleted() {
    if !isSourceOver { onCompleted(self) }
  }

  /// The scheduler's time.
  var now: RxTime {
    scheduler.now
  }

  /// Calls `fire`, holding the lock, after `dueTime`. It replaces what the timer was to call before.
  func startTimer(after dueTime: RxTimeInterval, fire: @escaping @Sendable (TimedSink) -> Void) {
    guard !isDisposed else { return }
    stopTimer()
    let next = SingleAssignmentDisposable()
    timer.disposable = next
    next.setDisposable(
      scheduler.scheduleRelative(timerNumber, dueTime: dueTime) { number in
        self.locked {
          if number == self.timerNumber { fire(self) }
        }
        return Disposables.create()
      })
  }

  /// Stops the timer.
  func stopTimer() {
    timerNumber &+= 1
  }

  /// Unsubscribes from the source.
  func endSource() {
    isSourceOver = true
    source.dispose()
  }

  /// Sends the events of `other` from now on, in place of the source's.
  func switchSource(to other: Observable<Output>) {
    isSourceOver = true
    unlocked { source.disposable = other.subscribe(downstream) }
  }
}
