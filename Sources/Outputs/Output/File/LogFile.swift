import Glibc

/// A file that whole lines are appended to, or a pipe or terminal in its place.
///
/// What the file holds after a crash is whole lines and at most one torn one at the end, which the next opening
/// mends. A line that fits only in part, because the disk is full, is taken back and written later as a whole.
final class LogFile: RecordDestination {
  let name: String
  private let path: String
  private var descriptor: Int32
  private var isRegular: Bool
  /// The last write ended within a line and that could not be taken back.
  private var isWithinLine = false
  /// The rest of a line whose beginning is in the file before this one.
  private var skipsLine = false

  /// Opens or creates the file and mends its last line.
  init(path: String) throws(OutputError) {
    self.path = path
    name = "region log \(path)"
    (descriptor, isRegular) = try Self.open(path)
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> WriteOutcome {
    if skipsLine {
      skipsLine = false
      return .wrote((bytes.firstIndex(of: newline) ?? bytes.count - 1) + 1)
    }
    let outcome = writeSome(bytes, to: descriptor)
    guard case .wrote(let count) = outcome, count > 0, count <= bytes.count else { return outcome }
    isWithinLine = bytes[count - 1] != newline
    guard isWithinLine, isRegular, count < bytes.count else { return outcome }
    let whole = (bytes[..<count].lastIndex(of: newline) ?? -1) + 1
    guard takeBack(count - whole) else { return outcome }
    isWithinLine = false
    // A file takes less than it is given only when there is no more room.
    return whole > 0 ? .wrote(whole) : .failed(ENOSPC)
  }

  func waitUntilWritable(milliseconds: Int32) {
    waitForOutput(descriptor, milliseconds: milliseconds)
  }

  func reopen() -> OutputError? {
    do throws(OutputError) {
      let (opened, isRegular) = try Self.open(path)
      Glibc.close(descriptor)
      (descriptor, self.isRegular) = (opened, isRegular)
      skipsLine = isWithinLine
      isWithinLine = false
      return nil
    } catch {
      return OutputError(error.code, "\(error.message); the old file stays in use")
    }
  }

  func close() -> Int32? {
    // Errors that the system kept back are told by close.
    let (_, code) = retryingInterrupts { Glibc.close(descriptor) }
    descriptor = -1
    return code == 0 ? nil : code
  }

  /// Cuts off the last `length` bytes that were written; not when somebody else has appended since.
  private func takeBack(_ length: Int) -> Bool {
    var status = stat()
    let position = lseek(descriptor, 0, SEEK_CUR)
    guard fstat(descriptor, &status) == 0, status.st_size == position, position >= length else {
      return false
    }
    return ftruncate(descriptor, position - length) == 0
  }
}
