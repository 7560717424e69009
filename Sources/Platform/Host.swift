import DaemonTrait
public import FoundationEssentials
import Glibc
public import Synchronization
public import SystemPackage

/// The clock, the random numbers and the threads of a program. A simulation replaces them.
public struct Host: Sendable {
  /// Seconds of a clock that only goes forward.
  public var seconds: @Sendable () -> Double
  /// The time of day, which may be set.
  public var date: @Sendable () -> Date
  /// A random number from 0 up to 1.
  public var random: @Sendable () -> Double
  /// Blocks the calling thread for a number of seconds.
  public var sleep: @Sendable (Double) -> Void
  /// Runs a loop until its end, on a new thread. Throws the system's error if it cannot create one.
  public var run: @Sendable (Loop) throws(Errno) -> Void

  /// Creates a host.
  public init(
    seconds: @escaping @Sendable () -> Double, date: @escaping @Sendable () -> Date,
    random: @escaping @Sendable () -> Double, sleep: @escaping @Sendable (Double) -> Void,
    run: @escaping @Sendable (Loop) throws(Errno) -> Void
  ) { (self.seconds, self.date, self.random, self.sleep, self.run) = (seconds, date, random, sleep, run) }

  /// The real host.
  public static let system = Host(
    seconds: { monotonicSeconds() }, date: { Date.now }, random: { Double.random(in: 0..<1) },
    sleep: { usleep(UInt32($0 * 1e6)) }, run: { loop throws(Errno) in try Thread.start { loop.run() } })
}

/// The body of a thread in steps, so that a simulation can run it without a thread. Only one thread at a time calls it.
public protocol LoopBody: SendableMetatype {
  /// Acts, without waiting for another thread or a peer if possible.
  mutating func step() -> LoopState

  /// Waits until the body has something to do, or until the deadline on the host's clock. Returns whether it has
  /// something to do.
  mutating func wait(until deadline: Double) -> Bool
}

/// The state of a loop after a step.
public enum LoopState: Sendable, Hashable {
  /// The next step follows at once.
  case ready
  /// The next step follows when there is something to do, at the latest at this time on the host's clock.
  case waiting(until: Double)
  case ended
}

/// A body and the lock that it needs to move to a thread.
public final class Loop: Sendable {
  private let body: (step: @Sendable () -> LoopState, wait: @Sendable (Double) -> Bool)
  private let onEnd: @Sendable () -> Void

  /// Creates a loop. `onEnd` is called after the last step, when the body is released.
  @inlinable
  public convenience init(_ body: sending some LoopBody, onEnd: @escaping @Sendable () -> Void = {}) {
    let body = LockedBody(body)
    // The compiler specializes two closures for a generic body, but not calls through an existential.
    self.init(step: { body.step() }, wait: { body.wait(until: $0) }, onEnd: onEnd)
  }

  @usableFromInline
  init(
    step: @escaping @Sendable () -> LoopState, wait: @escaping @Sendable (Double) -> Bool,
    onEnd: @escaping @Sendable () -> Void
  ) { (body, self.onEnd) = ((step, wait), onEnd) }

  func run() {
    while true {
      switch step() {
      case .ready: continue
      case .waiting(let deadline): _ = wait(until: deadline)
      case .ended: return
      }
    }
  }

  /// Acts once.
  public func step() -> LoopState {
    let state = body.step()
    if state == .ended { onEnd() }
    return state
  }

  /// Waits as the body does.
  public func wait(until deadline: Double) -> Bool { body.wait(deadline) }
}

@usableFromInline
final class LockedBody<Body: LoopBody>: Sendable {
  @usableFromInline let body: Mutex<Body?>

  @inlinable
  init(_ body: sending Body) { self.body = Mutex(body) }

  @inlinable
  func step() -> LoopState {
    body.withLock { body in
      let state = body?.step() ?? .ended
      if state == .ended { body = nil }
      return state
    }
  }

  @inlinable
  func wait(until deadline: Double) -> Bool { body.withLock { $0?.wait(until: deadline) ?? false } }
}
