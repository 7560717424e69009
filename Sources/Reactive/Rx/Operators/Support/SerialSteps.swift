import Synchronization

/// Runs a step as often as it was asked to, once at a time: a step that is asked for while one is running, by that one
/// or on another thread, runs after it, in the same place, so recursion takes no stack.
struct SerialSteps: ~Copyable, Sendable {
  private let pending = Atomic<Int>(0)

  /// Runs `step` once more.
  borrowing func run(_ step: () -> Void) {
    guard pending.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
    repeat {
      step()
    } while pending.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue > 0
  }
}
