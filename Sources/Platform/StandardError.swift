import Glibc
import Synchronization

/// Writes messages to standard error. Any thread.
///
/// A message never blocks the thread that writes it. If standard error is full, because the pipe's reader or the
/// terminal has stopped, the message is dropped and counted. The next message that gets through is preceded by the
/// count.
package enum StandardError {
  private struct State {
    var unreportedDrops = 0
    var progress: String?
  }

  private static let state = Mutex(State())
  private static let clear = "\r\u{1B}[K"

  /// Writes `text` and a line feed in one write, so that lines of several threads do not mix.
  package static func write(line text: String) {
    state.withLock { state in
      guard let progress = state.progress else {
        return write(text, to: STDERR_FILENO, unreportedDrops: &state.unreportedDrops)
      }
      write(clear + text, to: STDERR_FILENO, unreportedDrops: &state.unreportedDrops)
      _ = writeNow(progress, to: STDERR_FILENO)
    }
  }

  /// Shows a line that the next call replaces and that stays below all messages; `nil` removes it.
  static func show(progress text: String?) {
    state.withLock { state in
      guard state.progress != nil || text != nil else { return }
      state.progress = text
      _ = writeNow(clear + (text ?? ""), to: STDERR_FILENO)
    }
  }

  static func write(_ text: String, to descriptor: Int32, unreportedDrops drops: inout Int) {
    if drops > 0 {
      let messages = counted(drops, "message was", "messages were")
      guard writeNow("\(messages) dropped, because standard error took no more\n", to: descriptor) else {
        drops += 1
        return
      }
      drops = 0
    }
    if !writeNow(text + "\n", to: descriptor) { drops += 1 }
  }

  private static func writeNow(_ text: String, to descriptor: Int32) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      guard poll(&entry, 1, 0) == 1, entry.revents & Int16(POLLOUT) != 0 else { return false }
      let count = rest.withUnsafeBytes { bytes in (try? writeWithoutWaiting(bytes, to: descriptor)) ?? 0 }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

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
