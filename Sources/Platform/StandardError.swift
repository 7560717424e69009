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
      // POSIX guarantees that a writable pipe takes PIPE_BUF bytes without blocking.
      let piece = rest.prefix(Int(PIPE_BUF))
      var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      guard poll(&entry, 1, 0) == 1, entry.revents & Int16(POLLOUT) != 0 else { return false }
      // A writable stream socket, such as the journal's, may have less room than a piece needs.
      var count = piece.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) }
      if count < 0 && errno == ENOTSOCK {
        count = piece.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
