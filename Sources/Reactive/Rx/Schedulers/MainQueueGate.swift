import Synchronization

/// The way of one sender's actions to the main queue: at once when the sender is there already and nothing waits,
/// otherwise later. Either way they run in the order in which they were sent.
///
///     if gate.runNow({ show(element) }) == nil {
///       gate.runLater { show(element) }
///     }
///
/// Two closures, because the first one is not kept: an action that runs at once allocates nothing.
package final class MainQueueGate: Sendable {
  private let waiting = Atomic<Int>(0)
  // Touched on the main queue only.
  private let isRunning = Atomic<Bool>(false)
  private let nests: Bool

  /// - Parameter nests: Whether an action that is sent while another one runs at once runs inside of it. By default it
  ///   runs after it.
  package init(nests: Bool = false) {
    self.nests = nests
  }

  /// Calls `action` and returns its result, if the caller is on the main queue and no earlier action is waiting or
  /// running; otherwise returns `nil`.
  package func runNow<Result>(_ action: () -> Result) -> Result? {
    guard MainQueue.isCurrent, waiting.load(ordering: .acquiring) == 0 else { return nil }
    if nests { return action() }
    guard !isRunning.load(ordering: .relaxed) else { return nil }
    isRunning.store(true, ordering: .relaxed)
    defer { isRunning.store(false, ordering: .relaxed) }
    return action()
  }

  /// Runs `action` on the main queue after all that were sent before it.
  package func runLater(_ action: @escaping @MainActor @Sendable () -> Void) {
    waiting.wrappingAdd(1, ordering: .relaxed)
    MainQueue.runLater {
      action()
      self.waiting.wrappingSubtract(1, ordering: .releasing)
    }
  }
}
