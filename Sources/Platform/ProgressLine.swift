import Glibc
import Synchronization

/// One line on standard error that says how far a long piece of work is: how much of it is done, how fast it goes and how
/// long it takes yet. It is there on a terminal only, appears after half a second and is gone at the end; what is written
/// meanwhile by `StandardError` stands above it.
///
///     let line = ProgressLine(total: 1_000_000) { progress.bytesRead }
///     …
///     line?.finish()
public final class ProgressLine: Sendable {
  /// Seconds before the line appears, and between two of its states.
  private static let delay = 0.5, interval = 0.2

  private let stop: Wakeup
  private let isFinished = Mutex(false)

  /// Begins to show how far something is; `nil` when standard error is no terminal.
  ///
  /// - Parameters:
  ///   - total: How many bytes there are to be done; `nil` when nobody knows.
  ///   - done: How many bytes are done. It is called on a thread of the line's own.
  public init?(total: Int?, done: @escaping @Sendable () -> Int) {
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

  /// Takes the line away. It is not on the terminal any more when this returns.
  public func finish() {
    stop.signal()
    isFinished.withLock { isFinished in
      if !isFinished { StandardError.show(progress: nil) }
      isFinished = true
    }
  }

  private func show(_ text: String) {
    isFinished.withLock { if !$0 { StandardError.show(progress: text) } }
  }

  /// What the line says: `42 % of 1.2 GB, 85 MB/s, 0:08 left`.
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
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
    return hours > 0 ? "\(hours):\(two(minutes)):\(two(seconds % 60))" : "\(minutes):\(two(seconds % 60))"
  }
}
