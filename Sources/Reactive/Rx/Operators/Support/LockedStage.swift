/// The sink of an operator that listens to another sequence beside its source: holds its state and runs its steps.
///
/// `@unchecked Sendable`: `lock` guards `state`, as the steps and the handlers of ``observe(_:_:)`` run under it.
final class LockedStage<Input: Sendable, Output: Sendable, State: Sendable>: LockedSink<Input, Output>,
  @unchecked Sendable
{
  /// What the operator remembers.
  var state: State
  private let onError: @Sendable (LockedStage, any Error) -> Void
  private let atEnd: @Sendable (LockedStage) -> Void
  private let step: @Sendable (LockedStage, Input) throws -> Void

  /// - Parameters:
  ///   - downstream: The next stage.
  ///   - seed: The state at the beginning.
  ///   - onError: Called with the source's error; by default fails with it.
  ///   - atEnd: Called when the source has completed; by default completes.
  ///   - step: Called with each element of the source. What it throws ends the sequence.
  init(
    _ downstream: Sink<Output>, _ seed: State,
    onError: @escaping @Sendable (LockedStage, any Error) -> Void = { $0.finish($1) },
    atEnd: @escaping @Sendable (LockedStage) -> Void = { $0.finish() },
    step: @escaping @Sendable (LockedStage, Input) throws -> Void
  ) {
    state = seed
    self.onError = onError
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

  override func receive(error: any Error) {
    onError(self, error)
  }

  override func receiveCompleted() {
    atEnd(self)
  }
}
