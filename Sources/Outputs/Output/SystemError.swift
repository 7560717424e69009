import Glibc

/// The system's own words for an error number.
func describe(errno code: Int32) -> String {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
    guard let start = text.baseAddress, strerror_r(code, start, text.count) == 0 else {
      return "error \(code)"
    }
    return String(cString: start)
  }
}

/// Repeats a system call that a signal interrupted; returns its result and, when that is -1, its error number.
@inline(__always)
func retryingInterrupts<Result: FixedWidthInteger>(_ call: () -> Result) -> (
  result: Result, errno: Int32
) {
  while true {
    let result = call()
    if result != -1 { return (result, 0) }
    let code = errno
    if code != EINTR { return (-1, code) }
  }
}
