extension ObservableType {
  /// An operator with one source: `step` receives each element with the stage, which holds the operator's state and
  /// sends elements on. An error that a closure throws ends the sequence.
  ///
  ///     func everyOther() -> Observable<Element> {
  ///       stage(false) { stage, element in
  ///         stage.state.toggle()
  ///         if stage.state { stage.send(element) }
  ///       }
  ///     }
  ///
  /// Change the state before you send: what you send may lead to the next element. `atEnd` is called when the source
  /// has completed, before that is sent on.
  func stage<State: Sendable, Output: Sendable>(
    _ seed: State, atEnd: (@Sendable (Stage<Element, Output, State>) throws -> Void)? = nil,
    step: @escaping Stage<Element, Output, State>.Step
  ) -> Observable<Output> {
    var onEnd: Stage<Element, Output, State>.End?
    if let atEnd {
      onEnd = { stage, error in
        if let error { return stage.downstream.error(error) }
        try atEnd(stage)
        if !stage.isDisposed { stage.downstream.completed() }
      }
    }
    return lift { [onEnd] in Stage($0, seed, onEnd: onEnd, step: step) }
  }

  /// An operator with one source and no state.
  func stage<Output: Sendable>(
    atEnd: (@Sendable (Stage<Element, Output, Void>) throws -> Void)? = nil,
    step: @escaping Stage<Element, Output, Void>.Step
  ) -> Observable<Output> {
    stage((), atEnd: atEnd, step: step)
  }

  /// An operator with one source and the stage that `makeStage` makes of the next one.
  func lift<Output: Sendable, State>(
    _ makeStage: @escaping @Sendable (Sink<Output>) -> Stage<Element, Output, State>
  ) -> Observable<Output> {
    let source = asObservable()
    return Observable { downstream in
      let stage = makeStage(downstream)
      stage.setUpstream(source.subscribe(stage))
      return stage
    }
  }
}

/// The sink of an operator with one source: holds its state and runs its closures. `@unchecked Sendable`: the source
/// calls it from one thread at a time, and only these calls touch `state`.
final class Stage<Input: Sendable, Output: Sendable, State>: OperatorSink<Input, Output>, @unchecked Sendable {
  typealias Step = @Sendable (Stage, Input) throws -> Void
  typealias End = @Sendable (Stage, (any Error)?) throws -> Void
  typealias Action = @Sendable (Stage) -> Void

  private let step: Step
  private let onEnd: End?
  private let onGone: Action?
  private let onDispose: Action?
  private var current: State

  /// What the operator remembers. Never changed while a closure of the user runs. A state that is replaced goes when the
  /// new one is in place, because the end of an element may lead to the next one.
  var state: State {
    @inline(__always) get { current }
    @inline(__always) set {
      let replaced = exchange(&current, with: newValue)
      extendLifetime(replaced)
    }
    @inline(__always) _modify { yield &current }
  }

  /// `onEnd` is called in place of passing the source's end on, with the error if it failed, and `onGone` in place of
  /// passing on that nothing can come any more; `onDispose` is called once. An error that a closure throws ends the
  /// sequence.
  init(
    _ downstream: Sink<Output>, _ seed: State, onEnd: End? = nil, onGone: Action? = nil, onDispose: Action? = nil,
    step: @escaping Step
  ) {
    current = seed
    self.step = step
    self.onEnd = onEnd
    self.onGone = onGone
    self.onDispose = onDispose
    super.init(downstream)
  }

  /// Sends an element on.
  func send(_ element: Output) { downstream.next(element) }

  override func next(_ element: Input) {
    guard !isDisposed else { return }
    do {
      try step(self, element)
    } catch {
      finish(error)
    }
  }

  override func error(_ error: any Error) { handleEnd(error) }

  override func completed() { handleEnd(nil) }

  override func sourceGone() {
    if let onGone { onGone(self) } else { super.sourceGone() }
  }

  override func didDispose() { onDispose?(self) }

  private func handleEnd(_ error: (any Error)?) {
    guard !isDisposed else { return }
    guard let onEnd else { return downstream.end(error) }
    do {
      try onEnd(self, error)
    } catch {
      finish(error)
    }
  }
}
