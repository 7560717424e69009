import Glibc

/// Standard error, unbuffered: a line is one write, so that lines of several threads do not mix.
enum StandardError {
  /// Writes `text` and a line feed.
  static func write(line text: String) {
    var bytes = Array(text.utf8)
    bytes.append(UInt8(ascii: "\n"))
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      // Nobody is left to tell when standard error itself fails.
      if count <= 0 { return }
      rest = rest.dropFirst(count)
    }
  }
}
