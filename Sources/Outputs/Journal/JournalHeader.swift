import Glibc
import Platform
import SystemPackage

/// Checks of a journal's file before SQLite opens it, because SQLite must not open another program's file.
enum JournalHeader {
  /// Whether the file exists, for a reader. The check does not open the file. The process may be the journal's writer,
  /// and closing any descriptor of a file ends SQLite's locks on it. The next program that closed the journal would
  /// then remove the writer's log.
  ///
  /// - Throws: `JournalError` if the file may not be read, or not be written when `readOnly` is false.
  static func find(_ path: String, readOnly: Bool) throws(JournalError) -> Bool {
    guard try isFile(path) else { return false }
    guard access(path, readOnly ? R_OK : R_OK | W_OK) == 0 else {
      throw errno == EROFS ? .onReadOnlyFileSystem(path) : .cannotAccess(path, readOnly: readOnly)
    }
    return true
  }

  private static func isFile(_ path: String) throws(JournalError) -> Bool {
    guard !path.isEmpty else { throw JournalError(.cannotOpen, path: path, "has no name; name a file") }
    var status = stat()
    guard stat(path, &status) == 0 else {
      // Opening the lock file will show any other problem.
      return false
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw JournalError(.cannotOpen, path: path, "is not a file; name one")
    }
    return true
  }

  /// Opens the file for its writer, before SQLite does; `nil` without a file. An empty file counts as a new journal.
  ///
  /// - Throws: `JournalError` for a file that is not an SQLite database, or cannot be opened.
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

  /// Creates an empty file that only its owner may read; SQLite gives its log the same mode.
  static func makeFile(_ path: String) throws(JournalError) -> FileDescriptor {
    do {
      return try FileDescriptor.open(
        FilePath(path), .readWrite, options: [.create, .closeOnExec], permissions: [.ownerReadWrite])
    } catch {
      throw JournalError(
        .cannotOpen, path: path, "cannot be made: \((error as? Errno)?.description ?? "unknown error")")
    }
  }

  /// The identity of the file at a path; `nil` without a file.
  static func identity(of path: String) -> FileIdentity? { FileIdentity(path: path) }

  /// The size of the file in bytes; 0 without a file.
  static func size(of path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// How a reader opens a journal that cannot be written, as on read-only media. SQLite would create the file that
  /// connections share, which is unnecessary without a log.
  ///
  /// - Throws: `JournalError` if rows are in a log that cannot be read there.
  static func accessForReading(_ path: String) throws(JournalError) -> Connection.Access {
    let folder = FilePath(path).removingLastComponent().string
    guard access(folder.isEmpty ? "." : folder, W_OK) != 0, identity(of: path + "-shm") == nil else { return .readOnly }
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
