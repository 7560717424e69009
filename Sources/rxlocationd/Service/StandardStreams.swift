import Glibc

/// Standard output, for what is no record: a command's answer to a person.
enum StandardOutput {
  /// Writes `text` and a line feed.
  static func write(line text: String) { writeAll(text + "\n", to: STDOUT_FILENO) }
}

private func writeAll(_ text: String, to descriptor: Int32) {
  var rest = Array(text.utf8)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count < 0 && errno == EINTR { continue }
    // Nobody is left to tell when writing fails.
    if count <= 0 { return }
    rest = rest.dropFirst(count)
  }
}
