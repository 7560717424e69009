import Platform
import Synchronization

/// The readers of this process. They share SQLite's knowledge of the log with the writer, so the writer cannot begin
/// another log while they have the old one open.
enum OpenReaders {
  private struct Weak {
    weak var reader: JournalReader?
  }

  private static let all = Mutex<[Weak]>([])

  /// Runs `body`, which opens the reader's connection, so that `closing` cannot interrupt it.
  static func opening(_ reader: JournalReader, _ body: () throws(JournalError) -> Void) throws(JournalError) {
    try all.withLock { readers throws(JournalError) in
      readers.removeAll { $0.reader == nil || $0.reader === reader }
      readers.append(Weak(reader: reader))
      try body()
    }
  }

  /// Runs `body` unless a reader of the journal is open.
  static func unlessOpen(_ identity: FileIdentity?, _ body: () -> Void) {
    all.withLock { readers in
      let isOpen = readers.contains { entry in
        entry.reader.map { $0.isOpen && FileIdentity(path: $0.path) == identity } ?? false
      }
      if !isOpen { body() }
    }
  }

  /// Runs `body` while no reader of the journal is open. The readers open again at their next use.
  static func closing(_ identity: FileIdentity?, _ body: () throws(JournalError) -> Void) throws(JournalError) {
    try all.withLock { readers throws(JournalError) in
      for reader in readers.compactMap(\.reader) where FileIdentity(path: reader.path) == identity {
        reader.close()
      }
      try body()
    }
  }
}
