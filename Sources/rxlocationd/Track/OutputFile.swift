import Glibc
import Platform
import Records
import SystemPackage

/// Where a document goes: standard output, or a file that appears as a whole when it is finished.
///
/// A file is written under another name beside it and renamed, so that nobody ever sees half of it, and what was there
/// before stays until the new one is complete. The file takes the place of a symbolic link, so that only the named file changes
/// and not another one that the link leads to. What is not a regular file, such as a pipe, is written to directly.
final class OutputFile {
  private let descriptor: Int32
  /// What messages call it.
  let name: String
  /// The file to replace; `nil` when bytes go out directly.
  private let target: String?
  private let temporary: String
  private var isOpen = true
  /// Called before the first bytes go out.
  private var willWrite: (() -> Void)?

  /// Standard output.
  ///
  /// - Parameter willWrite: Called before the first bytes go to a terminal, to make room for them.
  /// - Throws: `CommandError` with status 74 when it is closed.
  init(willWrite: @escaping () -> Void = {}) throws(CommandError) {
    guard StandardStreams.isWritable(STDOUT_FILENO) else {
      throw CommandError(.ioError, "standard output is closed, so nothing can be written to it")
    }
    (descriptor, name, target, temporary) = (STDOUT_FILENO, "standard output", nil, "")
    if isatty(STDOUT_FILENO) == 1 { self.willWrite = willWrite }
  }

  /// Begins a file.
  ///
  /// - Throws: `CommandError` with status 73 when there can be no such file.
  init(path: String) throws(CommandError) {
    name = path
    var information = stat()
    let exists = stat(path, &information) == 0
    if exists && information.st_mode & S_IFMT != S_IFREG {
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
      (target, temporary) = (nil, "")
      if descriptor < 0 { throw Self.cannotCreate(path) }
      return
    }
    let part = "\(path).\(getpid()).part"
    // What a process of the same number left behind is nobody's.
    unlink(part)
    descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    (target, temporary) = (path, part)
    if descriptor < 0 { throw Self.cannotCreate(path) }
    if exists { fchmod(descriptor, information.st_mode & 0o7777) }
  }

  deinit { discard() }

  /// Writes all bytes.
  ///
  /// - Throws: The system's error; `brokenPipe` when nobody reads standard output any more.
  func write(_ buffer: borrowing RecordBuffer) throws(Errno) {
    willWrite?()
    willWrite = nil
    try buffer.withUnsafeBytes { (bytes) throws(Errno) in
      var rest = bytes
      while !rest.isEmpty {
        let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
        if count > 0 {
          rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        } else if count < 0 && errno == EAGAIN {
          // Somebody has made it non-blocking; wait for room.
          var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&entry, 1, 1000)
        } else if count == 0 || errno != EINTR {
          throw count == 0 ? .ioError : Errno(rawValue: errno)
        }
      }
    }
  }

  /// Makes a file appear under its name.
  func finish() throws(Errno) {
    guard isOpen, descriptor != STDOUT_FILENO else { return }
    isOpen = false
    var failure: Errno?
    // The bytes are on the disk before the name is, so that a power cut leaves the old file or the new one.
    if target != nil && fsync(descriptor) != 0 { failure = Errno(rawValue: errno) }
    if close(descriptor) != 0 && errno != EINTR && failure == nil { failure = Errno(rawValue: errno) }
    if let target, failure == nil && rename(temporary, target) != 0 { failure = Errno(rawValue: errno) }
    guard let failure else { return }
    if target != nil { unlink(temporary) }
    throw failure
  }

  /// Removes what was written, unless it is finished.
  func discard() {
    guard isOpen, descriptor != STDOUT_FILENO else { return }
    isOpen = false
    close(descriptor)
    if target != nil { unlink(temporary) }
  }

  private static func cannotCreate(_ path: String) -> CommandError {
    CommandError(.cannotCreate, "\(path): cannot be created: \(Errno(rawValue: errno).description)")
  }
}
