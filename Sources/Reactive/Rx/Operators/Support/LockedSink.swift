/// A sink with another sequence or a timer beside its source. It handles all events under one lock, downstream too, and
/// none once it is disposed.
///
/// Subclasses override the `receive` methods and touch their state there, in the handlers of ``observe(_:_:)`` and in
/// ``locked(_:)`` only.
///
/// `@unchecked Sendable`: `lock` guards `openSources` and the subclasses' state.
class LockedSink<Input: Sendable, Output: Sendable>: OperatorSink<Input, Output>, @unchecked Sendable {
  final let lock = RecursiveLock()
  /// How many of the source, the other sequence and the timer may still send something.
  final var openSources = 2

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
