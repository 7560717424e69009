import Glibc

/// What a GPX document on disk needs of a file; a test keeps one in memory and lets it crash. Every method returns
/// the system's error number, or 0.
protocol GPXStorage {
  /// Writes all of `bytes` at an offset.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int32
  /// Returns when everything that was written is on disk.
  func sync() -> Int32
  /// Cuts the file off.
  func truncate(to length: Int) -> Int32
}

/// A file that is open for writing at offsets.
struct GPXDescriptor: GPXStorage {
  let descriptor: Int32

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let (count, code) = retryingInterrupts { pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + done)) }
      if count < 0 { return code }
      if count == 0 { return EIO }
      done += count
    }
    return 0
  }

  func sync() -> Int32 {
    retryingInterrupts { fdatasync(descriptor) }.errno
  }

  func truncate(to length: Int) -> Int32 {
    retryingInterrupts { ftruncate(descriptor, off_t(length)) }.errno
  }
}
