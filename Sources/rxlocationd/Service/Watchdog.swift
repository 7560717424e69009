import Dispatch
import Sockets

/// Tells the service manager that this process is alive, by going through every event loop it has: the main
/// queue, and the loop of the sockets. One that hangs keeps the message back. A missing fix does not.
@MainActor
final class Watchdog {
  private let timer: any DispatchSourceTimer

  /// Starts sending at half the interval that the manager asked for; `nil` when it asked for none.
  init?(_ manager: ServiceManager, network: NetworkLoop?) {
    guard let interval = manager.watchdogMicroseconds, interval > 0 else { return nil }
    timer = DispatchSource.makeTimerSource(queue: .main)
    let half = DispatchTimeInterval.microseconds(Int(clamping: max(interval / 2, 1000)))
    timer.schedule(deadline: .now() + half, repeating: half)
    timer.setEventHandler {
      if let network { network.ping { manager.watchdog() } } else { manager.watchdog() }
    }
    timer.activate()
  }

  isolated deinit {
    timer.cancel()
  }
}
