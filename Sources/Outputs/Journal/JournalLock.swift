import Glibc
import Platform
import SystemPackage

/// Keeps other writers away from a journal during its own lifetime.
///
/// An exclusive `flock` on `PATH-lock` names the other process. A lock on a byte of the database also holds when the
/// second writer uses a symbolic or a hard link, or when `PATH-lock` was removed. SQLite holds its own locks for single
/// transactions only.
final class JournalLock {
  /// The identity of the database file.
  let identity: FileIdentity?
  private let file: FileDescriptor
  private let database: FileDescriptor

  /// Locks a journal. `database` is its file, which is created if it is `nil`, and closed with the lock.
  init(path: String, database: FileDescriptor? = nil) throws(JournalError) {
    let file: FileDescriptor
    do throws(JournalError) {
      file = try Self.open(path)
    } catch {
      try? database?.close()
      throw error
    }
    do {
      // Only its owner may read it; SQLite gives its log the same mode.
      self.database =
        try database
        ?? FileDescriptor.open(
          FilePath(path), .readWrite, options: [.create, .closeOnExec], permissions: [.ownerReadWrite])
    } catch {
      Self.close(file)
      throw JournalError(.cannotOpen, path: path, "cannot be created: \(error)")
    }
    self.file = file
    identity = FileIdentity(self.database)
    // A throw runs `deinit` from here on.
    guard Self.set(F_WRLCK, self.database) else {
      throw JournalError(
        .locked, path: path,
        "is written by another process already, under another name or without its \(path)-lock; end that one, or name "
          + "another file")
    }
  }

  deinit {
    _ = Self.set(F_UNLCK, database)
    // Closing any descriptor of the database ends the locks that SQLite holds for this process's readers.
    OpenReaders.unlessOpen(identity) { try? database.close() }
    Self.close(file)
  }

  private static func open(_ path: String) throws(JournalError) -> FileDescriptor {
    let file: FileDescriptor
    do {
      file = try FileDescriptor.open(
        FilePath(path + "-lock"), .readWrite, options: [.create, .closeOnExec],
        permissions: [.ownerReadWrite])
    } catch {
      switch error as? Errno {
      case .noSuchFileOrDirectory?:
        throw JournalError(.cannotOpen, path: path, "cannot be created: its folder does not exist; create the folder")
      case .notDirectory?:
        throw JournalError(.cannotOpen, path: path, "cannot be created: a part of its path is not a folder")
      case .readOnlyFileSystem?:
        throw JournalError.onReadOnlyFileSystem(path)
      case .permissionDenied?, .notPermitted?:
        throw JournalError(
          .readOnly, path: path,
          "cannot be written: its folder is read-only; change the permissions, or name another file")
      case let error:
        throw JournalError(.cannotOpen, path: path, "cannot be locked: \(error?.description ?? "unknown error")")
      }
    }
    guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else {
      let error = Errno(rawValue: errno)
      try? file.close()
      guard error == .wouldBlock else {
        throw JournalError(.cannotOpen, path: path, "cannot be locked: \(error.description)")
      }
      let holder = LockHolder.ofFlock(on: path + "-lock").map { ", \($0)" } ?? ""
      throw JournalError(
        .locked, path: path, "is written by another process already\(holder); end that one, or name another file")
    }
    return file
  }

  /// Whether another process holds the lock of the existing file `PATH-lock`.
  static func isHeld(_ path: String) -> Bool {
    do throws(JournalError) {
      close(try open(path))
      return false
    } catch {
      return error.reason == .locked
    }
  }

  private static func close(_ file: FileDescriptor) {
    // Unlock explicitly: closing alone leaves the lock with a child process that has not called exec yet.
    flock(file.rawValue, LOCK_UN)
    try? file.close()
  }

  /// Locks or unlocks the database's byte; false when another process has it. On systems without such locks only
  /// `PATH-lock` protects the journal.
  private static func set(_ type: Int32, _ database: FileDescriptor) -> Bool {
    // F_OFD_SETLK, which Swift does not import. Such a lock belongs to the descriptor, so it survives when SQLite
    // closes another descriptor of the file.
    let setLock: Int32 = 37
    var lock = flock()
    (lock.l_type, lock.l_whence) = (Int16(type), Int16(SEEK_SET))
    // SQLite locks the 512 bytes before this one.
    (lock.l_start, lock.l_len) = (0x4000_0200, 1)
    return fcntl(database.rawValue, setLock, &lock) == 0 || ![EAGAIN, EACCES].contains(errno)
  }
}
