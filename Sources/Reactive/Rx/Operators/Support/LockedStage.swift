extension ObservableType {
  /// An operator with a timer, which runs on `scheduler`. Its closures run one at a time, and not after the end.
  /// `onSubscribe` is called before the subscription to this sequence. By default the completion passes on.
  func timed<Output: Sendable, State: Sendable>(
    on scheduler: any SchedulerType, state seed: State,
    onSubscribe: @escaping @Sendable (LockedStage<Element, Output, State>) -> Void = { _ in },
    onNext: @escaping @Sendable (LockedStage<Element, Output, State>, Element) -> Void,
    onCompleted: @escaping @Sendable (LockedStage<Element, Output, State>) -> Void = { $0.sendEnd() }
  ) -> Observable<Output> {
    let source = asObservable()
    return Observable { downstream in
      let stage = LockedStage(
        downstream, seed, scheduler: scheduler, nests: false, onCompleted: onCompleted, onNext: onNext)
      stage.locked { onSubscribe(stage) }
      return stage.connect(source)
    }
  }
}

/// The sink of an operator with another sequence or a timer beside its source. It handles all events under one lock,
/// and none once it is disposed. The lock is not held while other code runs: what is sent, subscribed to, disposed of
/// or given by the user. `@unchecked Sendable`: `lock` guards the variables; the closures and handlers run under it.
final class LockedStage<Input: Sendable, Output: Sendable, State>: OperatorSink<Input, Output>, @unchecked Sendable {
  private let lock = RecursiveLock()
  /// How many of the source, the other sequence and the timer may still send something.
  var openSources = 2
  /// The thread on which something is being sent, or 0.
  private var sender: UInt = 0
  private var unsent = Queue<SerialGate.Delivery>()
  private let nests: Bool
  private let source = SerialDisposable()
  /// Whether events of the source are ignored. One of them may still be waiting for the lock.
  private var isSourceOver = false
  private var timer: SingleAssignmentDisposable?
  /// The number of the current timer. A cancelled timer that still fires has an older number.
  private var timerNumber: UInt64 = 0
  private let scheduler: any SchedulerType
  private let onCompleted: @Sendable (LockedStage) -> Void
  private let onNext: @Sendable (LockedStage, Input) throws -> Void
  /// What the operator remembers.
  var state: State

  /// For the closures see `timed`. An error of `onNext` ends the sequence. `nests` says that an event which the
  /// receiver of another one causes is sent at once, as in RxSwift, and not after that one.
  init(
    _ downstream: Sink<Output>, _ seed: State, scheduler: any SchedulerType = MainScheduler.instance,
    nests: Bool = true,
    onCompleted: @escaping @Sendable (LockedStage) -> Void = { $0.sendEnd() },
    onNext: @escaping @Sendable (LockedStage, Input) throws -> Void
  ) {
    state = seed
    self.nests = nests
    self.scheduler = scheduler
    self.onCompleted = onCompleted
    self.onNext = onNext
    super.init(downstream)
  }

  /// Subscribes to `source`, so that it can be replaced. The sink disposes of `other`, too, when it ends.
  func connect(_ source: Observable<Input>, _ other: any Disposable = Disposables.create()) -> Self {
    // The timer may fire and replace the source before this has subscribed to it.
    let subscription = SingleAssignmentDisposable()
    self.source.disposable = subscription
    subscription.setDisposable(source.subscribe(self))
    setUpstream(Disposables.create(self.source, other))
    return self
  }

  override func next(_ element: Input) {
    locked {
      guard !isSourceOver else { return }
      do {
        try onNext(self, element)
      } catch {
        sendEnd(error)
      }
    }
  }

  override func error(_ error: any Error) {
    locked {
      if !isSourceOver { sendEnd(error) }
    }
  }

  override func completed() {
    locked {
      if !isSourceOver { onCompleted(self) }
      closeSource()
    }
  }

  override func sourceGone() {
    locked { closeSource() }
  }

  /// Notes that a source has ended or is gone. After the last one the sink passes on that nothing comes any more.
  func closeSource() {
    openSources -= 1
    passSourcesGone()
  }

  private func passSourcesGone() {
    if openSources == 0, !isSending, !isDisposed { unlocked { passSourceGone() } }
  }

  override func didDispose() {
    lock.lock()
    // They go away outside of the lock.
    let (timer, unsent) = (timer, unsent)
    self.timer = nil
    self.unsent = Queue()
    lock.unlock()
    timer?.dispose()
    withExtendedLifetime(unsent) {}
  }

  /// Runs `body` holding the lock, unless the sink is disposed.
  func locked(_ body: () -> Void) {
    lock.lock()
    if !isDisposed { body() }
    lock.unlock()
  }

  /// Runs `body` without the lock, which the caller holds. Others may change the state meanwhile.
  @inline(__always)
  func unlocked<Result>(_ body: () throws -> Result) rethrows -> Result {
    lock.unlock()
    defer { lock.lock() }
    return try body()
  }

  /// Whether something is being sent.
  var isSending: Bool {
    sender != 0
  }

  /// Sends `element` without holding the lock, so that no thread waits for the receiver, and the receiver may wait for
  /// the source. What is sent before the receiver is done follows on the same thread.
  ///
  /// An operator sends everything this way. Call it holding the lock.
  func send(_ element: Output) {
    perform {
      downstream.next(element)
    } orLater: {
      { self.downstream.next(element) }
    }
  }

  /// Sends the end like an element, and disposes of the sink.
  func sendEnd(_ error: (any Error)? = nil) {
    perform {
      finish(error)
    } orLater: {
      { self.finish(error) }
    }
  }

  private func perform(_ now: () -> Void, orLater later: () -> SerialGate.Delivery) {
    let (outer, thread) = (sender, SerialGate.currentThread)
    if isDisposed { return }
    guard outer == 0 || nests && outer == thread else { return unsent.append(later()) }
    sender = thread
    if outer != 0 { performUnsent() }
    if !isDisposed { unlocked(now) }
    performUnsent()
    sender = outer
    passSourcesGone()
  }

  private func performUnsent() {
    while !isDisposed, let next = unsent.popFirst() { unlocked(next) }
  }

  /// Subscribes to `other`, whose events `handler` receives under the lock. The subscription has ended when `handler`
  /// is called with a terminal event. The result belongs to the upstream.
  func observe<Other: Sendable>(
    _ other: Observable<Other>, _ handler: @escaping @Sendable (Event<Other>) -> Void
  ) -> any Disposable {
    let sink = ClosureSink<Other>(beside: self) { event in
      self.locked {
        handler(event)
        if event.isStopEvent { self.closeSource() }
      }
    } onGone: {
      self.sourceGone()
    }
    sink.setUpstream(other.subscribe(sink))
    return sink
  }

  /// The scheduler's time.
  var now: RxTime {
    scheduler.now
  }

  /// Calls `fire`, holding the lock, after `dueTime`. It replaces what the timer was to call before.
  func startTimer(after dueTime: RxTimeInterval, fire: @escaping @Sendable (LockedStage) -> Void) {
    guard !isDisposed else { return }
    stopTimer()
    let (old, next, number) = (timer, SingleAssignmentDisposable(), timerNumber)
    timer = next
    unlocked {
      old?.dispose()
      next.setDisposable(
        scheduler.scheduleRelative(number, dueTime: dueTime) { number in
          self.locked {
            if number == self.timerNumber { fire(self) }
          }
          return Disposables.create()
        })
    }
  }

  /// Stops the timer.
  func stopTimer() {
    timerNumber &+= 1
  }

  /// Unsubscribes from the source.
  func endSource() {
    isSourceOver = true
    unlocked { source.dispose() }
  }

  /// Sends the events of `other` from now on, in place of the source's.
  func switchSource(to other: Observable<Output>) {
    isSourceOver = true
    unlocked { source.disposable = other.subscribe(downstream) }
  }
}
