extension ObservableType {
  /// The sequence that an operator with a timer makes of this one. Its closures run one at a time, and none of them
  /// after the end.
  ///
  /// - Parameters:
  ///   - scheduler: Where the timer runs.
  ///   - seed: The state at the beginning.
  ///   - onSubscribe: Called before the subscription to this sequence.
  ///   - onNext: Called with each element.
  ///   - onError: Called with the error; by default fails with it.
  ///   - onCompleted: Called at the completion; by default completes.
  func timed<Output: Sendable, State: Sendable>(
    on scheduler: any SchedulerType, state seed: State,
    onSubscribe: @escaping @Sendable (LockedStage<Element, Output, State>) -> Void = { _ in },
    onNext: @escaping @Sendable (LockedStage<Element, Output, State>, Element) -> Void,
    onError: @escaping @Sendable (LockedStage<Element, Output, State>, any Error) -> Void = { $0.finish($1) },
    onCompleted: @escaping @Sendable (LockedStage<Element, Output, State>) -> Void = { $0.finish() }
  ) -> Observable<Output> {
    let source = asObservable()
    return Producer { downstream in
      let stage = LockedStage(
        downstream, seed, scheduler: scheduler, onError: onError, onCompleted: onCompleted, onNext: onNext)
      stage.locked { onSubscribe(stage) }
      return stage.connect(source)
    }
  }
}

/// The sink of an operator that listens to another sequence or to a timer beside its source: holds its state and runs its
/// closures.
///
/// `@unchecked Sendable`: `lock` guards `state`, `isSourceOver` and `timerNumber`, as the closures and the handlers of
/// ``observe(_:_:)`` run under it.
final class LockedStage<Input: Sendable, Output: Sendable, State: Sendable>: LockedSink<Input, Output>,
  @unchecked Sendable
{
  /// What the operator remembers.
  var state: State

  private let scheduler: any SchedulerType
  private let onError: @Sendable (LockedStage, any Error) -> Void
  private let onCompleted: @Sendable (LockedStage) -> Void
  private let onNext: @Sendable (LockedStage, Input) throws -> Void
  private let source = SerialDisposable()
  /// Whether events of the source are ignored. One of them may still be waiting for the lock.
  private var isSourceOver = false
  private let timer = SerialDisposable()
  /// The number of the current timer. A cancelled timer that still fires has an older number.
  private var timerNumber: UInt64 = 0

  /// - Parameters:
  ///   - downstream: The next stage.
  ///   - seed: The state at the beginning.
  ///   - scheduler: Where the timer runs, if the operator starts one.
  ///   - onError: Called with the source's error; by default fails with it.
  ///   - onCompleted: Called when the source has completed; by default completes.
  ///   - onNext: Called with each element of the source. What it throws ends the sequence.
  init(
    _ downstream: Sink<Output>, _ seed: State, scheduler: any SchedulerType = MainScheduler.instance,
    onError: @escaping @Sendable (LockedStage, any Error) -> Void = { $0.finish($1) },
    onCompleted: @escaping @Sendable (LockedStage) -> Void = { $0.finish() },
    onNext: @escaping @Sendable (LockedStage, Input) throws -> Void
  ) {
    state = seed
    self.scheduler = scheduler
    self.onError = onError
    self.onCompleted = onCompleted
    self.onNext = onNext
    super.init(downstream)
  }

  /// Subscribes to `source`, so that ``endSource()`` and ``switchSource(to:)`` can unsubscribe from it. The sink disposes of
  /// `other`, too, when it ends.
  func connect(_ source: Observable<Input>, _ other: any Disposable = Disposables.create()) -> Self {
    // The timer may fire and replace the source before this has subscribed to it.
    let subscription = SingleAssignmentDisposable()
    self.source.disposable = subscription
    subscription.setDisposable(source.subscribe(self))
    setUpstream(Disposables.create(self.source, timer, other))
    return self
  }

  override func receive(_ element: Input) {
    guard !isSourceOver else { return }
    do {
      try onNext(self, element)
    } catch {
      finish(error)
    }
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
  func startTimer(after dueTime: RxTimeInterval, fire: @escaping @Sendable (LockedStage) -> Void) {
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
