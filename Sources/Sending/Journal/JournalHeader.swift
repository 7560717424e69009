import Glibc
import Platform
import SystemPackage

/// Checks of a journal's file before SQLite opens it, because SQLite must not open another program's file.
enum JournalHeader {
  /// Checks the file for a reader, without opening it: the process may be the journal's writer, and closing any
  /// descriptor of a file ends SQLite's locks on it. The next program that closed the journal would then remove the
  /// writer's log.
  static func check(_ path: String, readOnly: Bool) throws(JournalError) {
    guard try isFile(path) else { throw JournalError(.cannotOpen, path: path, "does not exist") }
    guard access(path, readOnly ? R_OK : R_OK | W_OK) == 0 else {
      throw errno == EROFS ? .onReadOnlyFileSystem(path) : .cannotAccess(path, readOnly: readOnly)
    }
  }

  private static func isFile(_ path: String) throws(JournalError) -> Bool {
    guard !path.isEmpty else { throw JournalError(.cannotOpen, path: path, "has no name; name a file") }
    // Opening it will show any other problem.
    guard let status = try? Stat(path) else { return false }
    guard status.type == .regular else {
      throw JournalError(.cannotOpen, path: path, "is not a regular file; name one")
    }
    return true
  }

  /// Opens the file for its writer, before SQLite does, and creates it if it does not exist. An empty file counts as a new
  /// journal.
  static func open(_ path: String) throws(JournalError) -> FileDescriptor {
    let exists = try isFile(path)
    var opened: FileDescriptor?
    do {
      // Only its owner may read it; SQLite gives its log the same mode.
      let file = try FileDescriptor.open(
        FilePath(path), .readWrite, options: [.create, .closeOnExec], permissions: [.ownerReadWrite])
      opened = file
      // SQLite needs its log beside it.
      guard access(folder(of: path), W_OK) == 0 else { throw JournalError.inReadOnlyFolder(path) }
      let bytes = try [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
        count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
      }
      guard bytes.isEmpty || bytes == Array("SQLite format 3\0".utf8) else {
        throw JournalError(.notADatabase, path: path, JournalError.isNoDatabase)
      }
      return file
    } catch {
      try? opened?.close()
      if let error = error as? JournalError { throw error }
      switch error as? Errno {
      case .noSuchFileOrDirectory?:
        throw JournalError(.cannotOpen, path: path, "cannot be created: its folder does not exist; create the folder")
      case .notDirectory?:
        throw JournalError(.cannotOpen, path: path, "cannot be created: a part of its path is not a folder")
      case .readOnlyFileSystem?: throw JournalError.onReadOnlyFileSystem(path)
      case .permissionDenied?, .notPermitted?:
        throw exists ? .cannotAccess(path, readOnly: false) : .inReadOnlyFolder(path)
      case let error:
        throw JournalError(.cannotOpen, path: path, "cannot be opened: \(error?.description ?? "unknown error")")
      }
    }
  }

  static func size(of path: String) -> Int64 { (try? Stat(path))?.size ?? 0 }

  /// The name of a file that SQLite keeps beside a database, "-wal" or "-shm": it follows the file, not a link to it.
  static func companion(_ suffix: String, of path: String) -> String {
    guard let real = realpath(path, nil) else { return path + suffix }
    defer { free(real) }
    return String(cString: real) + suffix
  }

  /// How a reader opens a journal that cannot be written, as on read-only media. SQLite would create the file that
  /// connections share, which is unnecessary without a log; a log cannot be read there.
  static func accessForReading(_ path: String) throws(JournalError) -> Connection.Access {
    let index = companion("-shm", of: path)
    guard access(folder(of: path), W_OK) != 0, FileIdentity(path: index) == nil else { return .readOnly }
    guard size(of: companion("-wal", of: path)) == 0 else {
      throw JournalError(
        .readOnly, path: path,
        "lies where nothing can be written, and its newest rows are in \(path)-wal; copy both files to another place")
    }
    return .immutable
  }
}

extension JournalError {
  fileprivate static func inReadOnlyFolder(_ path: String) -> JournalError {
    JournalError(
      .readOnly, path: path,
      "cannot be written: its folder is read-only; change the permissions, or name another file")
  }

  fileprivate static func onReadOnlyFileSystem(_ path: String) -> JournalError {
    JournalError(
      .readOnly, path: path,
      "cannot be written: its file system is read-only; mount it for writing, or name another file")
  }

  fileprivate static func cannotAccess(_ path: String, readOnly: Bool) -> JournalError {
    JournalError(
      .readOnly, path: path,
      "cannot be \(readOnly ? "read" : "written"); change the file's permissions, or name another file")
  }
}

/// Keeps other writers away from a journal during its own lifetime, whatever name they use for the file. SQLite holds its
/// own locks for single transactions only.
final class JournalLock {
  let identity: FileIdentity?
  private let file: FileDescriptor

  /// Locks a journal, and creates its file if it does not exist. A file of another kind is not changed.
  init(path: String) throws(JournalError) {
    file = try JournalHeader.open(path)
    identity = FileIdentity(file)
    // A throw runs `deinit` from here on.
    guard set(F_WRLCK) else {
      throw JournalError(
        .locked, path: path, "is written by another process already; end that one, or name another file")
    }
  }

  deinit {
    // Unlock explicitly: closing alone leaves the lock with a child process that has not called exec yet.
    _ = set(F_UNLCK)
    // Closing any descriptor of the database ends the locks that SQLite holds for this process's readers.
    Connection.unlessOpen(identity) { try? file.close() }
  }

  /// Locks or unlocks a byte of the database; false when another process has it. File systems without such locks do not
  /// protect the journal.
  private func set(_ type: Int32) -> Bool {
    // F_OFD_SETLK, which Swift does not import. Such a lock belongs to the descriptor, so it survives when SQLite
    // closes another descriptor of the file.
    let setLock: Int32 = 37
    var lock = flock()
    (lock.l_type, lock.l_whence) = (Int16(type), Int16(SEEK_SET))
    // SQLite locks the 512 bytes before this one.
    (lock.l_start, lock.l_len) = (0x4000_0200, 1)
    return fcntl(file.rawValue, setLock, &lock) == 0 || ![EAGAIN, EACCES].contains(errno)
  }
}
