import Dispatch

/// Whether code runs on the main queue, and how to get there.
package enum MainQueue {
  private static let key: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the caller may touch what belongs to the main actor: it runs on the main thread, or on whichever thread
  /// serves the main queue after an asynchronous `main()` has given the main thread up, as on Linux.
  package static var isCurrent: Bool {
    Trampoline.current.isMainThread || DispatchQueue.getSpecific(key: key) == true
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

  /// The same function without its isolation, to be called only where ``isCurrent`` is true: what
  /// `MainActor.assumeIsolated` does, without its own, slower check.
  package static func unchecked<First, Second>(
    _ action: @escaping @MainActor @Sendable (First, Second) -> Void
  ) -> (First, Second) -> Void {
    unsafeBitCast(action, to: ((First, Second) -> Void).self)
  }
}
