/// A sink between two others: receives `Input`, sends `Output` downstream. Terminal events pass on by default.
///
/// `@unchecked Sendable`: `downstream` never changes; for the subclasses' state see ``Sink``.
class OperatorSink<Input: Sendable, Output: Sendable>: Sink<Input>, @unchecked Sendable {
  /// The next stage.
  final let downstream: Sink<Output>

  init(_ downstream: Sink<Output>) {
    self.downstream = downstream
  }

  override func sourceGone() {
    downstream.sourceGone()
    release()
  }

  override func error(_ error: any Error) {
    downstream.error(error)
  }

  override func completed() {
    downstream.completed()
  }

  /// Ends the sequence downstream with `error` and disposes this stage and everything upstream.
  final func finish(_ error: any Error) {
    downstream.error(error)
    dispose()
  }

  /// Completes the sequence downstream and disposes this stage and everything upstream.
  final func finish() {
    downstream.completed()
    dispose()
  }
}
