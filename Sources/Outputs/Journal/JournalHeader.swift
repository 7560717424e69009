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
    var status = stat()
    // Opening the lock file will show any other problem.
    guard stat(path, &status) == 0 else { return false }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw JournalError(.cannotOpen, path: path, "is not a regular file; name one")
    }
    return true
  }

  /// Opens the file for its writer, before SQLite does; `nil` without a file. An empty file counts as a new journal.
  static func open(_ path: String) throws(JournalError) -> FileDescriptor? {
    guard try isFile(path) else { return nil }
    var opened: FileDescriptor?
    do {
      let file = try FileDescriptor.open(FilePath(path), .readWrite, options: [.closeOnExec])
      opened = file
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
      case .readOnlyFileSystem?: throw JournalError.onReadOnlyFileSystem(path)
      case .permissionDenied?, .notPermitted?: throw JournalError.cannotAccess(path, readOnly: false)
      case let error:
        throw JournalError(.cannotOpen, path: path, "cannot be opened: \(error?.description ?? "unknown error")")
      }
    }
  }

  /// The size of the file in bytes; 0 without a file.
  static func size(of path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// How a reader opens a journal that cannot be written, as on read-only media. SQLite would create the file that
  /// connections share, which is unnecessary without a log; a log cannot be read there.
  static func accessForReading(_ path: String) throws(JournalError) -> Connection.Access {
    let folder = FilePath(path).removingLastComponent().string
    guard access(folder.isEmpty ? "." : folder, W_OK) != 0, FileIdentity(path: path + "-shm") == nil else {
      return .readOnly
    }
    guard size(of: path + "-wal") == 0 else {
      throw JournalError(
        .readOnly, path: path,
        "lies where nothing can be written, and its newest rows are in \(path)-wal; copy both files to another place")
    }
    return .immutable
  }
}

extension JournalError {
  static func onReadOnlyFileSystem(_ path: String) -> JournalError {
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
