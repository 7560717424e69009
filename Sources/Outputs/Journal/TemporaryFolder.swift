import Glibc
import SystemPackage

/// A folder of a temporary journal, which nobody else may look into.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws(JournalError) {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/rxjournal.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw JournalError(
        .cannotOpen, path: parent, "cannot be made in this temporary folder: \(Errno(rawValue: errno).description)")
    }
    path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
  }

  /// Removes the journal and the folder.
  func remove() {
    for suffix in ["", "-wal", "-shm", "-lock"] { unlink("\(path)/journal.db\(suffix)") }
    rmdir(path)
  }
}
