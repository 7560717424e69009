/// A sink with another sequence or a timer beside its source. It handles all events under one lock, and none once it is
/// disposed. Events that it sends with ``send(_:)`` go downstream without the lock, all others under it.
///
/// Subclasses override the `receive` methods and touch their state there, in the handlers of ``observe(_:_:)`` and in
/// ``locked(_:)`` only.
///
/// `@unchecked Sendable`: `lock` guards `openSources`, `isSending`, `unsent` and the subclasses' state.
class LockedSink<Input: Sendable, Output: Sendable>: OperatorSink<Input, Output>, @unchecked Sendable {
  final let lock = RecursiveLock()
  /// How many of the source, the other sequence and the timer may still send something.
  final var openSources = 2
  /// Whether ``send(_:)`` is sending an event.
  private(set) final var isSending = false
  private var unsent = Queue<Event<Output>>()

  /// Receives an element of the source.
  func receive(_ element: Input) {}

  /// Receives the source's error: ends the sequence.
  func receive(error: any Error) {
    finish(error)
  }

  /// Receives the source's end: ends the sequence.
  func receiveCompleted() {
    finish()
  }

  final override func next(_ element: Input) {
    locked { receive(element) }
  }

  final override func error(_ error: any Error) {
    locked { receive(error: error) }
  }

  final override func completed() {
    locked {
      receiveCompleted()
      closeSource()
    }
  }

  final override func sourceGone() {
    locked { closeSource() }
  }

  /// Notes that a source has ended or is gone. After the last one the sink passes on that nothing comes any more.
  final func closeSource() {
    openSources -= 1
    if openSources == 0, !isDisposed { super.sourceGone() }
  }

  /// Runs `body` holding the lock, unless the sink is disposed.
  final func locked(_ body: () -> Void) {
    lock.withLock {
      if !isDisposed { body() }
    }
  }

  /// Sends `event` without holding the lock, so that no thread waits for the receiver, and the receiver may wait for the
  /// source. An event that is sent before the receiver is done follows on the same thread.
  ///
  /// An operator sends all of its events that may come at the same time this way. Call it holding the lock.
  final func send(_ event: Event<Output>) {
    unsent.append(event)
    if isSending { return }
    isSending = true
    while !isDisposed, let next = unsent.popFirst() {
      unlocked { downstream.on(next) }
      if next.isStopEvent { dispose() }
    }
    isSending = false
  }

  /// Runs `body` without the lock, which the caller holds.
  final func unlocked(_ body: () -> Void) {
    lock.unlock()
    body()
    lock.lock()
  }

  /// Subscribes to `other`, whose events `handler` receives under the lock. The subscription has ended when `handler` is
  /// called with a terminal event. The result belongs to the upstream.
  final func observe<Other: Sendable>(
    _ other: Observable<Other>, _ handler: @escaping @Sendable (Event<Other>) -> Void
  ) -> any Cancelable {
    let sink = SideSink<Other> { event in
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
}
