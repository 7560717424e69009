import Glibc
import Synchronization

/// One line on standard error that shows how much of a long task is done, how fast it goes and how long it still takes.
/// The line exists only on a terminal, appears after half a second and disappears at the end. Messages that
/// `StandardError` writes meanwhile appear above it.
package final class ProgressLine: Sendable {
  /// Seconds before the line appears, and between its updates.
  private static let delay = 0.5, interval = 0.2

  private let stop: Wakeup
  private let isFinished = Mutex(false)

  /// Starts to show the progress; `nil` if standard error is not a terminal. `total` is the number of bytes of the whole
  /// task, if it is known; `done` returns the number of bytes done, on the line's own thread.
  package init?(total: Int?, done: @escaping @Sendable () -> Int) {
    guard isatty(STDERR_FILENO) == 1, let stop = try? Wakeup() else { return nil }
    self.stop = stop
    let start = monotonicSeconds()
    let thread: Void? = try? Thread.start { [weak self] in
      var pause = Self.delay
      while stop.wait(seconds: pause) == .timedOut {
        pause = Self.interval
        guard let self else { return }
        show(Self.text(done: done(), total: total, seconds: monotonicSeconds() - start))
      }
    }
    if thread == nil { return nil }
  }

  deinit { finish() }

  /// Removes the line. It is gone from the terminal when this method returns.
  package func finish() {
    stop.signal()
    isFinished.withLock { isFinished in
      if !isFinished { StandardError.show(progress: nil) }
      isFinished = true
    }
  }

  private func show(_ text: String) { isFinished.withLock { if !$0 { StandardError.show(progress: text) } } }

  /// The text of the line, such as `42 % of 1.2 GB, 85 MB/s, 0:08 left`.
  static func text(done: Int, total: Int?, seconds: Double) -> String {
    let rate = seconds > 0 ? Double(done) / seconds : 0
    let speed = "\(amount(rate))/s"
    guard let total, total > 0 else { return "\(amount(Double(done))), \(speed)" }
    let part = min(1, Double(done) / Double(total))
    let start = "\(Int(part * 100)) % of \(amount(Double(total))), \(speed)"
    guard rate > 0, let left = Int(exactly: (Double(total - min(done, total)) / rate).rounded(.up)) else {
      return start
    }
    return "\(start), \(duration(left)) left"
  }

  private static func amount(_ bytes: Double) -> String {
    var (value, units) = (bytes, ["B", "kB", "MB", "GB", "TB"][...])
    while value >= 999.5, units.count > 1 {
      value /= 1000
      units = units.dropFirst()
    }
    let tenths = Int((value * 10).rounded())
    let number = value < 9.95 && units.first != "B" ? "\(tenths / 10).\(tenths % 10)" : "\(Int(value.rounded()))"
    return "\(number) \(units.first ?? "TB")"
  }

  private static func duration(_ seconds: Int) -> String {
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    let rest = twoDigits(seconds % 60)
    return hours > 0 ? "\(hours):\(twoDigits(minutes)):\(rest)" : "\(minutes):\(rest)"
  }
}
