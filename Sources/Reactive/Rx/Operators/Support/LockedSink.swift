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

/// The sink of an operator that listens to another sequence beside its source: holds its state and runs its steps.
///
/// `@unchecked Sendable`: `lock` guards `state`, as the steps and the handlers of ``observe(_:_:)`` run under it.
final class LockedStage<Input: Sendable, Output: Sendable, State: Sendable>: LockedSink<Input, Output>,
  @unchecked Sendable
{
  /// What the operator remembers.
  var state: State
  private let atEnd: @Sendable (LockedStage) -> Void
  private let step: @Sendable (LockedStage, Input) throws -> Void

  /// - Parameters:
  ///   - downstream: The next stage.
  ///   - seed: The state at the beginning.
  ///   - atEnd: Called when the source has completed; by default completes.
  ///   - step: Called with each element of the source. What it throws ends the sequence.
  init(
    _ downstream: Sink<Output>, _ seed: State, atEnd: @escaping @Sendable (LockedStage) -> Void = { $0.finish() },
    step: @escaping @Sendable (LockedStage, Input) throws -> Void
  ) {
    state = seed
    self.atEnd = atEnd
    self.step = step
    super.init(downstream)
  }

  override func receive(_ element: Input) {
    do {
      try step(self, element)
    } catch {
      finish(error)
    }
  }

  override func receiveCompleted() {
    atEnd(self)
  }
}

/// Hands the events of a sequence to a closure. It is disposed before it hands over a terminal event.
///
/// `@unchecked Sendable`: its closures are `@Sendable` and never change.
final class SideSink<Element: Sendable>: Sink<Element>, Cancelable, @unchecked Sendable {
  private let handler: @Sendable (Event<Element>) -> Void
  private let onGone: (@Sendable () -> Void)?

  init(_ handler: @escaping @Sendable (Event<Element>) -> Void, onGone: (@Sendable () -> Void)? = nil) {
    self.handler = handler
    self.onGone = onGone
  }

  override func sourceGone() {
    onGone?()
    release()
  }

  override func next(_ element: Element) {
    if !isDisposed { handler(.next(element)) }
  }

  override func error(_ error: any Error) {
    guard !isDisposed else { return }
    dispose()
    handler(.error(error))
  }

  override func completed() {
    guard !isDisposed else { return }
    dispose()
    handler(.completed)
  }
}
