extension ObservableType {
  /// An operator with one source: `step` receives each element with the stage, which holds the operator's state and sends
  /// elements on. An error that `step` or `atEnd` throws ends the sequence.
  ///
  ///     func everyOther() -> Observable<Element> {
  ///       stage(false) { stage, element in
  ///         stage.state.toggle()
  ///         if stage.state { stage.send(element) }
  ///       }
  ///     }
  ///
  /// Change the state before you send: what you send may lead to the next element.
  ///
  /// - Parameters:
  ///   - seed: The state with which each subscription begins.
  ///   - atEnd: Called when the source has completed, before that is sent on.
  ///   - step: Called with each element, until the sequence has ended.
  func stage<State: Sendable, Output: Sendable>(
    _ seed: State, atEnd: (@Sendable (Stage<Element, Output, State>) throws -> Void)? = nil,
    step: @escaping @Sendable (Stage<Element, Output, State>, Element) throws -> Void
  ) -> Observable<Output> {
    let source = asObservable()
    return Producer { downstream in
      var onEnd: Stage<Element, Output, State>.End?
      if let atEnd {
        onEnd = { stage, error in
          if let error { return stage.downstream.error(error) }
          try atEnd(stage)
          if !stage.isDisposed { stage.downstream.completed() }
        }
      }
      let stage = Stage(downstream, seed, onEnd: onEnd, step: step)
      stage.setUpstream(source.subscribe(stage))
      return stage
    }
  }

  /// An operator with one source and no state.
  func stage<Output: Sendable>(
    atEnd: (@Sendable (Stage<Element, Output, Void>) throws -> Void)? = nil,
    step: @escaping @Sendable (Stage<Element, Output, Void>, Element) throws -> Void
  ) -> Observable<Output> {
    stage((), atEnd: atEnd, step: step)
  }

  /// The sequence that the sink made by `makeSink` makes of this one, for operators that need more than a step.
  func lift<Output: Sendable>(
    _ makeSink: @escaping @Sendable (Sink<Output>) -> Sink<Element>
  ) -> Observable<Output> {
    let source = asObservable()
    return Producer { downstream in
      let sink = makeSink(downstream)
      sink.setUpstream(source.subscribe(sink))
      return sink
    }
  }
}

/// The sink of an operator with one source: holds its state and runs its step.
///
/// `@unchecked Sendable`: the source calls it from one thread at a time, and only these calls touch `state`.
final class Stage<Input: Sendable, Output: Sendable, State: Sendable>: OperatorSink<Input, Output>, @unchecked Sendable
{
  typealias Step = @Sendable (Stage, Input) throws -> Void
  typealias End = @Sendable (Stage, (any Error)?) throws -> Void

  private let step: Step
  private let onEnd: End?
  /// What the operator remembers. Never changed while a closure of the user runs.
  var state: State

  /// - Parameters:
  ///   - downstream: The next stage.
  ///   - seed: The state at the beginning.
  ///   - onEnd: Called in place of passing the source's end on, with the error if it failed.
  ///   - step: Called with each element of the source. What a closure throws ends the sequence.
  init(_ downstream: Sink<Output>, _ seed: State, onEnd: End? = nil, step: @escaping Step) {
    state = seed
    self.step = step
    self.onEnd = onEnd
    super.init(downstream)
  }

  /// Sends an element on.
  func send(_ element: Output) {
    downstream.next(element)
  }

  override func next(_ element: Input) {
    guard !isDisposed else { return }
    do {
      try step(self, element)
    } catch {
      finish(error)
    }
  }

  override func error(_ error: any Error) {
    if !isDisposed, !handleEnd(error) { downstream.error(error) }
  }

  override func completed() {
    if !isDisposed, !handleEnd(nil) { downstream.completed() }
  }

  /// Returns whether the operator has a closure for the end.
  private func handleEnd(_ error: (any Error)?) -> Bool {
    guard let onEnd else { return false }
    do {
      try onEnd(self, error)
    } catch {
      finish(error)
    }
    return true
  }
}
