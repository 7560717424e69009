extension ObservableType {
  /// An operator with a timer, which runs on `scheduler`. `onSubscribe` is called before the subscription to this
  /// sequence. By default the completion passes on.
  func timed<Output: Sendable, State: Sendable>(
    on scheduler: any SchedulerType, state seed: State,
    onSubscribe: @escaping @Sendable (LockedStage<Element, Output, State>) -> Void = { _ in },
    onNext: @escaping @Sendable (LockedStage<Element, Output, State>, Element) -> Void,
    onCompleted: @escaping @Sendable (LockedStage<Element, Output, State>) -> Void = { $0.sendSourceEnd() }
  ) -> Observable<Output> {
    let source = asObservable()
    return Observable { downstream in
      let stage = LockedStage(
        downstream, seed, scheduler: scheduler, nests: false, onCompleted: onCompleted, onNext: onNext)
      onSubscribe(stage)
      return stage.connect(source)
    }
  }
}

/// What a ``LockedStage`` knows beside the operator's state, under the same lock.
struct StageStatus: Sendable {
  /// The thread on which something is being sent, or 0.
  fileprivate var sender: UInt = 0
  /// Whether something was taken meanwhile.
  fileprivate var hasUnsent = false
  /// How many of the source, the other sequence and the timer may still send something.
  fileprivate var openSources = 2
  fileprivate var timer: SingleAssignmentDisposable?
  /// The number of the current timer. A cancelled timer that still fires has an older number.
  fileprivate var timerNumber: UInt64 = 0
  /// Whether another sequence has taken the place of the source, or the source has completed.
  var isSourceOver = false

  /// Whether something is being sent.
  var isSending: Bool { sender != 0 }

  /// Stops the timer.
  mutating func stopTimer() { timerNumber &+= 1 }

  /// Whether everything has been sent, and nothing more can come. It says so once.
  fileprivate mutating func isGone() -> Bool {
    guard openSources == 0, sender == 0 else { return false }
    openSources = -1
    return true
  }
}

/// The state of an operator that remembers nothing. It takes a byte, because the thread sanitizer takes a change of what is
/// empty for one of the object around it.
struct NoState: Sendable {
  private var byte: UInt8 = 0
}

/// The sink of an operator with another sequence or a timer beside its source.
///
/// The operator's closures and handlers run without a lock, each on the thread of its event. They reach the state by
/// ``change(_:)`` and ``send(_:)``, whose closures run under the lock: they change the state and call nothing else.
/// What the state held before lives until the lock is released, because the end of an element may run anything. So a
/// state must be cheap to copy: it has a ``Line`` in the place of an array.
///
/// `@unchecked Sendable`: `lock` guards the variables, and so they need no check of exclusive access as the program runs.
final class LockedStage<Input: Sendable, Output: Sendable, State: Sendable>: OperatorSink<Input, Output>,
  @unchecked Sendable
{
  /// Changes the state, and returns what is to be sent because of that.
  typealias Take = @Sendable (inout State, inout StageStatus) -> Event<Output>?

  private let lock = HandLock()
  @exclusivity(unchecked) private var status = StageStatus()
  @exclusivity(unchecked) private var state: State
  @exclusivity(unchecked) private var unsent = Queue<Event<Output>>()
  private let nests: Bool
  private let source = SerialDisposable()
  private let scheduler: any SchedulerType
  private let onCompleted: @Sendable (LockedStage) -> Void
  private let onNext: @Sendable (LockedStage, Input) throws -> Void

  /// For the closures see `timed`. An error of `onNext` ends the sequence. `nests` says that an event which the
  /// receiver of another one causes is sent at once, as in RxSwift, and not after that one.
  init(
    _ downstream: Sink<Output>, _ seed: State, scheduler: any SchedulerType = MainScheduler.instance,
    nests: Bool = true,
    onCompleted: @escaping @Sendable (LockedStage) -> Void = { $0.sendSourceEnd() },
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
    guard !isDisposed else { return }
    do {
      try onNext(self, element)
    } catch {
      sendEnd(error)
    }
  }

  override func error(_ error: any Error) { sendSourceEnd(error) }

  override func completed() {
    if !isDisposed { onCompleted(self) }
    closeSource()
  }

  override func sourceGone() { closeSource() }

  /// Notes that a source has ended or is gone. After the last one the sink passes on that nothing comes any more.
  func closeSource() {
    lock.lock()
    status.openSources -= 1
    let isGone = status.isGone()
    lock.unlock()
    if isGone, !isDisposed { passSourceGone() }
  }

  override func didDispose() {
    // They go away outside of the lock.
    lock.lock()
    let (timer, unsent) = (status.timer.take(), unsent)
    self.unsent = Queue()
    status.hasUnsent = false
    lock.unlock()
    timer?.dispose()
    extendLifetime(unsent)
  }

  /// The state as it is now.
  var current: State {
    lock.lock()
    let value = state
    lock.unlock()
    return value
  }

  /// Changes the state.
  @inline(__always)
  func change<Result>(_ body: (inout State) -> Result) -> Result {
    change { state, _ in body(&state) }
  }

  /// Changes the state and the status.
  @inline(__always)
  func change<Result>(_ body: (inout State, inout StageStatus) -> Result) -> Result {
    lock.lock()
    let before = state
    let result = body(&state, &status)
    lock.unlock()
    extendLifetime(before)
    return result
  }

  /// Sends what `take` returns, in the order in which it was taken. No lock is held meanwhile, so that no thread waits
  /// for the receiver, and the receiver may wait for the source. What another thread takes before the receiver is done
  /// follows on the thread of the first. Returns whether this call has sent it.
  ///
  /// An operator sends everything this way, or by ``send(_:if:)``.
  @discardableResult
  func send(_ take: (inout State, inout StageStatus) -> Event<Output>?) -> Bool {
    let thread = CurrentThread.identity
    lock.lock()
    let (before, outer) = (state, status.sender)
    let event = isDisposed ? nil : take(&state, &status)
    let isSending = event != nil && beginSending(thread)
    if let event, !isSending { leave(event) }
    lock.unlock()
    extendLifetime(before)
    guard isSending, let event else { return false }
    if outer != 0 { sendUnsent(before: thread) }
    deliver(event)
    sendUnsent(before: outer)
    return true
  }

  /// Sends `element`.
  func send(_ element: Output) { send(element) { _ in true } }

  /// Sends `element`, if `isWanted`, which only looks at the state.
  @inline(__always)
  func send(_ element: Output, if isWanted: (State) -> Bool) {
    let thread = CurrentThread.identity
    lock.lock()
    let outer = status.sender
    let isTaken = !isDisposed && isWanted(state)
    let isSending = isTaken && beginSending(thread)
    if isTaken, !isSending { leave(element) }
    lock.unlock()
    guard isSending else { return }
    if outer != 0 { sendUnsent(before: thread) }
    if !isDisposed { downstream.next(element) }
    sendUnsent(before: outer)
  }

  /// Whether the calling thread may send now. Call it holding the lock, as `leave`.
  private func beginSending(_ thread: UInt) -> Bool {
    guard status.sender == 0 || nests && status.sender == thread else { return false }
    status.sender = thread
    return true
  }

  // Events stay out of the functions that run for each element: their mere mention makes a function ask the runtime how
  // they are laid out.

  /// Leaves `event` to the thread that is sending.
  @inline(never)
  private func leave(_ event: Event<Output>) {
    unsent.append(event)
    status.hasUnsent = true
  }

  @inline(never)
  private func leave(_ element: Output) {
    leave(.next(element))
  }

  /// Sends the end, and disposes of the sink.
  func sendEnd(_ error: (any Error)? = nil) { send { _, _ in Event(end: error) } }

  /// Sends the end of the source, unless another sequence has taken its place.
  func sendSourceEnd(_ error: (any Error)? = nil) {
    send { _, status in
      if status.isSourceOver { return nil }
      status.stopTimer()
      return Event(end: error)
    }
  }

  /// Sends what was taken meanwhile. From then on `sender` is the thread that sends, or 0.
  private func sendUnsent(before sender: UInt) {
    lock.lock()
    while status.hasUnsent, !isDisposed {
      sendFirstUnsent()
      lock.lock()
    }
    status.sender = sender
    let isGone = status.isGone()
    lock.unlock()
    if isGone, !isDisposed { passSourceGone() }
  }

  /// Call it holding the lock, which it releases before it sends.
  @inline(never)
  private func sendFirstUnsent() {
    let event = unsent.popFirst()
    status.hasUnsent = !unsent.isEmpty
    lock.unlock()
    if let event { deliver(event) }
  }

  private func deliver(_ event: Event<Output>) {
    if isDisposed { return }
    if case .next(let element) = event { downstream.next(element) } else { finish(event.error) }
  }

  /// Subscribes to `other`, whose error ends the sequence, and calls `onNext` with its elements and, if there is one,
  /// `onCompleted`. The result belongs to the upstream.
  func observe<Other: Sendable>(
    _ other: Observable<Other>, onCompleted: @escaping @Sendable () -> Void = {},
    onNext: @escaping @Sendable (Other) -> Void
  ) -> any Disposable {
    let sink = InnerSink<Other>(beside: self) { element in
      if !self.isDisposed { onNext(element) }
    } onEnd: { error in
      if self.isDisposed { return }
      if let error { self.sendEnd(error) } else { onCompleted() }
      self.closeSource()
    } onGone: {
      self.closeSource()
    }
    sink.setUpstream(other.subscribe(sink))
    return sink
  }

  /// The scheduler's time.
  var now: RxTime { scheduler.now }

  /// After `dueTime` sends what `take` returns then, and calls `then` with whether this was sent at once. It replaces
  /// what the timer was to send before.
  func startTimer(
    after dueTime: RxTimeInterval, send take: @escaping Take,
    then: @escaping @Sendable (LockedStage, Bool) -> Void = { _, _ in }
  ) {
    let next = SingleAssignmentDisposable()
    lock.lock()
    status.stopTimer()
    let (old, number, isOver) = (status.timer, status.timerNumber, isDisposed)
    if !isOver { status.timer = next }
    lock.unlock()
    old?.dispose()
    if isOver { return }
    next.setDisposable(
      scheduler.scheduleRelative(number, dueTime: dueTime) { number in
        var isCurrent = false
        let isSent = self.send { state, status in
          isCurrent = number == status.timerNumber
          return isCurrent ? take(&state, &status) : nil
        }
        if isCurrent { then(self, isSent) }
        return Disposables.create()
      })
  }

  /// Unsubscribes from the source.
  func endSource() {
    lock.lock()
    status.isSourceOver = true
    lock.unlock()
    source.dispose()
  }

  /// Sends the events of `other` from now on, in place of the source's.
  func switchSource(to other: Observable<Output>) { source.disposable = other.subscribe(downstream) }
}
