import Glibc
import Platform
import SystemPackage

/// The folder of a temporary journal, which only its user can read. An exclusive `flock` on it marks it as in use.
final class TemporaryFolder: Sendable {
  let path: String
  private let lock: FileDescriptor

  private static let prefix = "rxjournal."

  /// Creates the folder after removing folders that killed processes have left.
  init() throws(JournalError) {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    Self.removeUnused(in: parent)
    for _ in 0..<100 {
      var template = Array("\(parent)/\(Self.prefix)XXXXXX".utf8CString)
      guard mkdtemp(&template) != nil else {
        throw JournalError(
          .cannotOpen, path: parent, "cannot be created in this temporary folder: \(Errno(rawValue: errno))")
      }
      let path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
      // Another process that has just started may have removed the folder before it was locked.
      guard let lock = Self.lock(path) else {
        rmdir(path)
        continue
      }
      guard FileIdentity(path: path) == FileIdentity(lock) else {
        try? lock.close()
        continue
      }
      (self.path, self.lock) = (path, lock)
      return
    }
    throw JournalError(.cannotOpen, path: parent, "has no folder that can be locked; set TMPDIR to another folder")
  }

  deinit {
    try? lock.close()
  }

  /// Removes the journal and the folder.
  func remove() { Self.remove(path) }

  private static func remove(_ path: String) {
    for suffix in ["", "-journal", "-wal", "-shm", "-lock"] { unlink("\(path)/journal.db\(suffix)") }
    rmdir(path)
  }

  /// Removes this user's folders that no process uses.
  private static func removeUnused(in parent: String) {
    guard let folder = opendir(parent) else { return }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      let path = "\(parent)/\(name)"
      guard name.hasPrefix(prefix), name.utf8.count == prefix.utf8.count + 6,
        // Older versions lock only the journal's file.
        LockHolder.ofFlock(on: path + "/journal.db-lock") == nil, let lock = lock(path)
      else { continue }
      remove(path)
      try? lock.close()
    }
  }

  /// Locks a folder; `nil` if that fails, or the folder belongs to another user.
  private static func lock(_ path: String) -> FileDescriptor? {
    guard
      let file = try? FileDescriptor.open(FilePath(path), .readOnly, options: [.directory, .noFollow, .closeOnExec])
    else { return nil }
    var status = stat()
    guard fstat(file.rawValue, &status) == 0, status.st_uid == geteuid(), flock(file.rawValue, LOCK_EX | LOCK_NB) == 0
    else {
      try? file.close()
      return nil
    }
    return file
  }
}
