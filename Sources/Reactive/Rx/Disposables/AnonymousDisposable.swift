/// Calls a closure when it is disposed, once.
final class AnonymousDisposable: Cancelable {
  private struct Action: Sendable {
    let run: @Sendable () -> Void
  }

  private let counted = CountedResource()
  private let action: Locked<Action?>

  init(_ action: @escaping @Sendable () -> Void) {
    self.action = Locked(Action(run: action))
  }

  var isDisposed: Bool {
    action.withLock { $0 == nil }
  }

  func dispose() {
    action.withLock { $0.take() }?.run()
  }
}
