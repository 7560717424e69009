extension ObservableType {
  /// The same sequence with its events sent on `scheduler` (RxSwift's `observe(on:)`).
  public func observe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    if let scheduler = scheduler as? SerialDispatchQueueScheduler {
      return lift { ObserveOnSerialQueueSink($0, scheduler) }
    }
    return lift { ObserveOnSink($0, scheduler) }
  }
}

/// Queues events; a recursion on the scheduler sends them one by one.
///
/// `@unchecked Sendable`: `pending` is a lock, the rest never changes.
private final class ObserveOnSink<Element: Sendable>: OperatorSink<Element, Element>, @unchecked Sendable {
  private struct Pending: Sendable {
    var events = Queue<Event<Element>>()
    var isSending = false
    var isSourceGone = false
  }

  private let scheduler: any ImmediateSchedulerType
  private let recursion = SerialDisposable()
  private let pending = Locked(Pending())

  init(_ downstream: Sink<Element>, _ scheduler: any ImmediateSchedulerType) {
    self.scheduler = scheduler
    super.init(downstream)
  }

  override func next(_ element: Element) {
    send(.next(element))
  }

  override func sourceGone() {
    let isSending = pending.withLock { pending in
      pending.isSourceGone = true
      return pending.isSending
    }
    if !isSending { super.sourceGone() }
  }

  override func error(_ error: any Error) {
    send(.error(error))
  }

  override func completed() {
    send(.completed)
  }

  override func didDispose() {
    recursion.dispose()
  }

  private func send(_ event: Event<Element>) {
    let isSending = pending.withLock { pending in
      pending.events.append(event)
      defer { pending.isSending = true }
      return pending.isSending
    }
    if isSending { return }
    let current = SingleAssignmentDisposable()
    recursion.disposable = current
    current.setDisposable(
      scheduler.scheduleRecursive(()) { _, recurse in
        // Without an event to send, the recursion would keep this sink.
        if self.sendFirst() { recurse(()) } else { current.dispose() }
      })
  }

  /// Sends the oldest event; returns whether there is another one.
  private func sendFirst() -> Bool {
    guard !isDisposed, let event = pending.withLock({ $0.events.popFirst() }) else { return false }
    downstream.on(event)
    if event.isStopEvent { dispose() }
    let (isSending, isSourceGone) = pending.withLock { pending in
      pending.isSending = !pending.events.isEmpty
      return (pending.isSending, pending.isSourceGone)
    }
    if !isSending, isSourceGone { super.sourceGone() }
    return isSending
  }
}

/// A serial queue keeps the order itself: each event is an action of its own.
///
/// `@unchecked Sendable`: `scheduler` never changes.
private final class ObserveOnSerialQueueSink<Element: Sendable>: OperatorSink<Element, Element>, @unchecked Sendable {
  private let scheduler: SerialDispatchQueueScheduler

  init(_ downstream: Sink<Element>, _ scheduler: SerialDispatchQueueScheduler) {
    self.scheduler = scheduler
    super.init(downstream)
  }

  override func next(_ element: Element) {
    _ = scheduler.schedule(element) { element in
      if !self.isDisposed { self.downstream.next(element) }
      return Disposables.create()
    }
  }

  override func sourceGone() {
    // After the elements that it has sent before.
    _ = scheduler.schedule(()) { _ in
      self.downstream.sourceGone()
      self.release()
      return Disposables.create()
    }
  }

  override func error(_ error: any Error) {
    end(.error(error))
  }

  override func completed() {
    end(.completed)
  }

  private func end(_ event: Event<Element>) {
    _ = scheduler.schedule(event) { event in
      if !self.isDisposed {
        self.downstream.on(event)
        self.dispose()
      }
      return Disposables.create()
    }
  }
}

extension ObservableType {
  /// The same sequence, subscribed to and unsubscribed from on `scheduler` (RxSwift's `subscribe(on:)`). Its events
  /// come where the source sends them; see ``observe(on:)``.
  public func subscribe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    Producer { downstream in
      let serial = SerialDisposable()
      let scheduled = SingleAssignmentDisposable()
      serial.disposable = scheduled
      scheduled.setDisposable(
        scheduler.schedule(()) { _ in
          serial.disposable = ScheduledDisposable(scheduler: scheduler, disposable: connect(downstream))
          return Disposables.create()
        })
      return serial
    }
  }

  /// Subscribes `sink` to this sequence itself. For a sequence of the user's own type,
  /// `asObservable()` would put a stage before `sink` that unsubscribes on the thread on which the sequence ends.
  private func connect(_ sink: Sink<Element>) -> any Disposable {
    if let observable = self as? Observable<Element> { return observable.subscribe(sink) }
    return subscribe(AnyObserver(sink: sink))
  }
}
