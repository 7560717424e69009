import Glibc

/// Writes lines to standard error, whole and without buffering.
package enum StandardError {
  package static func write(_ line: String) {
    var bytes = Array(line.utf8)
    bytes.append(UInt8(ascii: "\n"))
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
      if written < 0 {
        if errno == EINTR { continue }
        return
      }
      rest = rest.dropFirst(written)
    }
  }
}
