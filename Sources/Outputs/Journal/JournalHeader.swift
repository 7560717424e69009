import Glibc
import SystemPackage

/// What can be seen of a journal's file before SQLite opens it, which must not happen to a file of somebody else.
enum JournalHeader {
  /// Whether there is a file; an empty one counts as a new journal.
  ///
  /// - Throws: `JournalError` for one that is no SQLite database, or cannot be opened.
  static func check(_ path: String, readOnly: Bool = false) throws(JournalError) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else {
      // What else is wrong, the lock's file will show.
      return false
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw JournalError(.cannotOpen, path: path, "is not a file; name one")
    }
    do {
      let file = try FileDescriptor.open(FilePath(path), readOnly ? .readOnly : .readWrite, options: [.closeOnExec])
      let bytes = try file.closeAfter {
        try [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
          count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
        }
      }
      guard bytes.isEmpty || bytes == Array("SQLite format 3\0".utf8) else {
        throw JournalError(.notADatabase, path: path, JournalError.isNoDatabase)
      }
      return true
    } catch let error as JournalError {
      throw error
    } catch {
      switch error as? Errno {
      case .permissionDenied?, .readOnlyFileSystem?, .notPermitted?:
        throw JournalError(
          .readOnly, path: path,
          "cannot be \(readOnly ? "read" : "written"); change the file's permissions, or name another file")
      case let error:
        throw JournalError(.cannotOpen, path: path, "cannot be opened: \(error?.description ?? "unknown error")")
      }
    }
  }

  /// Makes an empty file that only its owner may read; SQLite gives its log the same mode.
  static func makeFile(_ path: String) throws(JournalError) {
    do {
      try FileDescriptor.open(
        FilePath(path), .readWrite, options: [.create, .closeOnExec], permissions: [.ownerReadWrite]
      ).close()
    } catch {
      throw JournalError(
        .cannotOpen, path: path, "cannot be made: \((error as? Errno)?.description ?? "unknown error")")
    }
  }

  /// Which file a path names now; `nil` for none.
  static func identity(of path: String) -> [UInt]? {
    var status = stat()
    return stat(path, &status) == 0 ? [UInt(status.st_dev), UInt(status.st_ino)] : nil
  }
}
