import Glibc

/// An open descriptor that is not this library's to close: standard output.
final class DescriptorDestination: RecordDestination {
  let name: String
  private let descriptor: Int32

  init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> WriteOutcome {
    writeSome(bytes, to: descriptor)
  }

  func waitUntilWritable(milliseconds: Int32) {
    waitForOutput(descriptor, milliseconds: milliseconds)
  }

  func reopen() -> OutputError? { nil }

  func close() -> Int32? { nil }
}

/// One write(2), told as an outcome.
func writeSome(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> WriteOutcome {
  let (written, code) = retryingInterrupts {
    Glibc.write(descriptor, bytes.baseAddress, bytes.count)
  }
  if written >= 0 { return .wrote(written) }
  switch code {
  case EAGAIN: return .busy
  case EPIPE, ECONNRESET: return .ended
  default: return .failed(code)
  }
}

/// Waits for a non-blocking descriptor, which a standard output may be that is shared with another program.
func waitForOutput(_ descriptor: Int32, milliseconds: Int32) {
  var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
  _ = poll(&entry, 1, milliseconds)
}
