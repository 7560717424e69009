import Glibc
import Platform
import SystemPackage

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
