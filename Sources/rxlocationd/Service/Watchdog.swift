import Dispatch
import Sockets

/// Tells the service manager that this process is alive, after a message has passed through the main queue and the loop
/// of the sockets. If one of them hangs, no message is sent. A missing fix has no effect.
@MainActor
final class Watchdog {
  private let timer: any DispatchSourceTimer

  /// Starts sending at half the manager's interval; `nil` without a watchdog.
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
