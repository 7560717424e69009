import Dispatch
import Synchronization

/// The main queue, where the main actor runs.
package enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the caller runs on the main queue, and so may touch what belongs to the main actor. Which thread serves
  /// the main queue does not matter: after an asynchronous `main()` it is not the first one any more on Linux.
  package static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

  /// Runs `action` on the main actor: at once when already there, otherwise later.
  package static func run(_ action: @escaping @MainActor @Sendable () -> Void) {
    if isCurrent {
      MainActor.assumeIsolated(action)
    } else {
      runLater(action)
    }
  }

  /// Runs `action` on the main actor, later in any case.
  package static func runLater(_ action: @escaping @MainActor @Sendable () -> Void) {
    DispatchQueue.main.async(execute: action)
  }
}

/// Runs one sender's actions on the main queue, in order: at once when the sender is there already and nothing waits,
/// otherwise later. A sender calls ``runNow(_:)`` and, if that returns `nil`, ``runLater(_:)`` with another closure:
/// the first one is not kept, so an action that runs at once allocates nothing.
package final class MainQueueGate: Sendable {
  private let waiting = Atomic<Int>(0)
  // Touched on the main queue only.
  private let isRunning = Atomic<Bool>(false)
  private let nests: Bool

  /// - Parameter nests: Whether an action that another one sends runs inside of it. By default it runs after it.
  package init(nests: Bool = false) { self.nests = nests }

  /// Calls `action` if the caller is on the main queue and no earlier action waits or runs; otherwise returns `nil`.
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
