import Glibc
import SystemPackage

/// Keeps a second writer away from a journal: an exclusive `flock` on `PATH-lock`.
///
/// SQLite's own locks are held for single transactions only. The lock has a file of its own, because closing any descriptor
/// of the database would end the locks that SQLite holds on it.
final class JournalLock {
  private let descriptor: FileDescriptor

  init(path: String) throws(JournalError) {
    do {
      descriptor = try FileDescriptor.open(
        FilePath(path + "-lock"), .readWrite, options: [.create, .closeOnExec],
        permissions: [.ownerReadWrite])
    } catch {
      switch error as? Errno {
      case .noSuchFileOrDirectory?:
        throw JournalError(.cannotOpen, path: path, "cannot be made: its folder does not exist; create the folder")
      case .notDirectory?:
        throw JournalError(.cannotOpen, path: path, "cannot be made: a part of its path is not a folder")
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
    guard flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0 else {
      let error = Errno(rawValue: errno)
      guard error == .wouldBlock else {
        throw JournalError(.cannotOpen, path: path, "cannot be locked: \(error.description)")
      }
      let holder = LockHolder.ofFlock(on: path + "-lock").map { ", \($0)" } ?? ""
      throw JournalError(
        .locked, path: path, "is written by another process already\(holder); end that one, or name another file")
    }
  }

  // It closes the file after a failure above, too, when everything is initialized by then.
  deinit {
    // By name: closing alone leaves it with a child process that has not called exec yet.
    flock(descriptor.rawValue, LOCK_UN)
    try? descriptor.close()
  }
}
