import FoundationEssentials
import Platform
import Synchronization

/// The time of a simulated host, which changes only when it is told to.
final class SimulatedClock: Sendable {
  private let state = Mutex(0.0)

  /// Creates a clock at 0 s.
  init() {}

  /// Seconds since the start.
  var seconds: Double {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  /// The time of day: the start is on 20 June 2025.
  var date: Date { Date(timeIntervalSince1970: 1_750_377_600 + seconds) }

  /// A host with this time, on which nothing sleeps.
  var host: Platform.Host {
    var host = Platform.Host.system
    host.seconds = { self.seconds }
    host.date = { self.date }
    host.sleep = { self.seconds += $0 }
    return host
  }
}
