/// A sink with one source that may end the sequence on its own account, and lets no other end through after that.
///
/// Subclasses begin `next` with `guard !isDisposed else { return }`.
///
/// `@unchecked Sendable`: the one source serialises the subclasses' state.
class FinishingSink<Input: Sendable, Output: Sendable>: OperatorSink<Input, Output>, @unchecked Sendable {
  override func error(_ error: any Error) {
    if !isDisposed { downstream.error(error) }
  }

  override func completed() {
    if !isDisposed { downstream.completed() }
  }
}
