import Glibc
import Synchronization

/// An answer that a thread computes: whether it goes on, waits for shorter ones, or ends because its client has left.
final class HTTPWork: Sendable {
  enum Turn: UInt8, AtomicRepresentable {
    case waiting, running, left
  }

  /// How long the answer takes, compared with others.
  let weight: Double
  private let turn = Atomic<Turn>(.waiting)

  init(weight: Double) {
    self.weight = weight
  }

  var hasLeft: Bool { turn.load(ordering: .relaxed) == .left }

  /// Ends the work.
  func leave() { turn.store(.left, ordering: .relaxed) }

  /// Lets the work run or wait, unless its client has left.
  func set(isRunning: Bool) {
    guard !hasLeft else { return }
    turn.store(isRunning ? .running : .waiting, ordering: .relaxed)
  }

  /// Waits as long as shorter work runs; returns whether the client is still there.
  func goesOn() -> Bool {
    while true {
      switch turn.load(ordering: .relaxed) {
      case .running: return true
      case .left: return false
      case .waiting: usleep(5000)
      }
    }
  }
}
