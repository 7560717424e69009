import Glibc

/// What a GPX document on disk needs of a file; a test keeps one in memory and lets it crash. Methods that
/// change it return the system's error number, or 0.
protocol GPXStorage {
  /// How long the file is.
  var length: Int { get }
  /// Reads exactly so many bytes at an offset.
  func read(_ count: Int, at offset: Int) -> [UInt8]?
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

  var length: Int { Int(lseek(descriptor, 0, SEEK_END)) }

  func read(_ count: Int, at offset: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let (got, _) = bytes.withUnsafeMutableBytes { buffer in
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
        return retryingInterrupts { pread(descriptor, rest.baseAddress, rest.count, off_t(offset + done)) }
      }
      guard got > 0 else { return nil }
      done += got
    }
    return bytes
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let (count, code) = retryingInterrupts {
        pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
      }
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
