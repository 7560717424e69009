import Glibc
import Synchronization

/// The computation of an answer on a thread: it runs, waits for shorter ones, or ends because its client has left.
final class HTTPWork: Sendable {
  enum Turn: UInt8, AtomicRepresentable {
    case waiting, running, left
  }

  /// The relative time that the answer takes.
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

  /// Waits while shorter work runs; returns whether the client is still connected.
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
