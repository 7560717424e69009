extension ObservableType {
  /// The same sequence with its events sent on `scheduler` (RxSwift).
  public func observe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    if let scheduler = scheduler as? SerialDispatchQueueScheduler { return observe(onSerialQueue: scheduler) }
    return lift { downstream in
      let pending = Pending<Element>(scheduler)
      return Stage<Element, Element, Void>(
        downstream, (),
        onEnd: { stage, error in pending.send(Event(end: error), to: stage) },
        onGone: { stage in
          if pending.sourceIsGone() { stage.passSourceGone() }
        },
        onDispose: { _ in pending.recursion.dispose() },
        step: { stage, element in pending.send(.next(element), to: stage) })
    }
  }

  /// A serial queue keeps the order itself: each event is an action of its own.
  private func observe(onSerialQueue scheduler: SerialDispatchQueueScheduler) -> Observable<Element> {
    lift { downstream in
      Stage<Element, Element, Void>(
        downstream, (),
        onEnd: { stage, error in
          _ = scheduler.schedule(error) { error in
            if !stage.isDisposed { stage.finish(error) }
            return Disposables.create()
          }
        },
        onGone: { stage in
          // After the elements that it has sent before.
          _ = scheduler.schedule(()) { _ in
            stage.passSourceGone()
            return Disposables.create()
          }
        },
        step: { stage, element in
          _ = scheduler.schedule(element) { element in
            if !stage.isDisposed { stage.send(element) }
            return Disposables.create()
          }
        })
    }
  }
}

/// Queues events; a recursion on the scheduler sends them one by one.
private final class Pending<Element: Sendable>: Sendable {
  typealias Stage = Rx.Stage<Element, Element, Void>

  private struct State: Sendable {
    var events = Queue<Event<Element>>()
    var isSending = false
    var isSourceGone = false
  }

  let recursion = SerialDisposable()
  private let scheduler: any ImmediateSchedulerType
  private let state = Locked(State())

  init(_ scheduler: any ImmediateSchedulerType) { self.scheduler = scheduler }

  /// Notes that nothing can come any more. Returns whether everything was sent.
  func sourceIsGone() -> Bool {
    state.withLock { state in
      state.isSourceGone = true
      return !state.isSending
    }
  }

  func send(_ event: Event<Element>, to stage: Stage) {
    let isSending = state.withLock { state in
      state.events.append(event)
      defer { state.isSending = true }
      return state.isSending
    }
    if isSending { return }
    let current = SingleAssignmentDisposable()
    recursion.disposable = current
    current.setDisposable(
      scheduler.scheduleRecursive(()) { _, recurse in
        // Without an event to send, the recursion would keep the stage.
        if self.sendFirst(to: stage) { recurse(()) } else { current.dispose() }
      })
  }

  /// Sends the oldest event; returns whether there is another one.
  private func sendFirst(to stage: Stage) -> Bool {
    guard !stage.isDisposed, let event = state.withLock({ $0.events.popFirst() }) else { return false }
    stage.downstream.on(event)
    if event.isStopEvent { stage.dispose() }
    let (isSending, isSourceGone) = state.withLock { state in
      state.isSending = !state.events.isEmpty
      return (state.isSending, state.isSourceGone)
    }
    if !isSending, isSourceGone { stage.passSourceGone() }
    return isSending
  }
}

extension ObservableType {
  /// This sequence, subscribed to and unsubscribed from on `scheduler`. Its events come where it sends them (RxSwift).
  public func subscribe(on scheduler: any ImmediateSchedulerType) -> Observable<Element> {
    Observable { downstream in
      let subscription = ScheduledSubscription(scheduler)
      subscription.begin(
        scheduler.schedule(()) { _ in
          subscription.connect(connect(downstream))
          return Disposables.create()
        })
      return subscription
    }
  }

  /// Subscribes `sink` to this sequence itself. For a sequence of the user's own type, `asObservable()` would put a
  /// stage before `sink` that unsubscribes on the thread on which the sequence ends.
  private func connect(_ sink: Sink<Element>) -> any Disposable {
    if let observable = self as? Observable<Element> { return observable.subscribe(sink) }
    return subscribe(AnyObserver(sink: sink))
  }
}

/// A subscription that is made and disposed of on a scheduler. A device of many has several, so it is one object.
private final class ScheduledSubscription: Disposable {
  private enum State {
    case new
    case scheduled(any Disposable)
    case connected(any Disposable)
    case disposed
  }

  private let scheduler: any ImmediateSchedulerType
  private let state = Locked(State.new)

  init(_ scheduler: any ImmediateSchedulerType) { self.scheduler = scheduler }

  /// Keeps what cancels the beginning, unless that was at once.
  func begin(_ start: any Disposable) {
    let isDisposed = state.withLock { state in
      if case .new = state { state = .scheduled(start) }
      return if case .disposed = state { true } else { false }
    }
    if isDisposed { start.dispose() }
  }

  func connect(_ connection: any Disposable) {
    // The beginning goes away outside of the lock.
    let old = state.withLock { state in
      let old = state
      if case .disposed = state {} else { state = .connected(connection) }
      return old
    }
    if case .disposed = old { end(connection) }
  }

  func dispose() {
    let state = state.withLock { state in
      defer { state = .disposed }
      return state
    }
    switch state {
    case .scheduled(let start): start.dispose()
    case .connected(let connection): end(connection)
    case .new, .disposed: break
    }
  }

  private func end(_ connection: any Disposable) {
    _ = scheduler.schedule(()) { _ in
      connection.dispose()
      return Disposables.create()
    }
  }
}
