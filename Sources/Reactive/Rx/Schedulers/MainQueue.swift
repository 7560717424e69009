import Dispatch

/// The main queue, where the main actor runs.
package enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the caller runs on the main queue, and so may touch what belongs to the main actor. Which thread serves the
  /// main queue does not matter: after an asynchronous `main()` it is not the first one any more on Linux.
  package static var isCurrent: Bool {
    DispatchQueue.getSpecific(key: key) == true
  }

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
