/// Limits the size of a journal's file. Above the limit it deletes the oldest rows, and in a queue the rows that all
/// readers have taken.
final class JournalBound {
  private let connection: Connection
  private let pageSize: Int64
  /// The limit in pages.
  private let limit: Int64
  private let pageCount: Statement
  private let freePages: Statement
  private let oldest: Statement
  private let behind: Statement
  private let countDropped: Statement
  private let deletions: [Statement]
  /// Selects the row up to which all readers have taken everything.
  private let taken: Statement
  private var pages: Int64 = 0
  /// The size of the write-ahead log, in pages, at which it is written back.
  let logPages: Int64

  /// The number of pages freed at once, so that no commit takes long: a mebibyte.
  private static let step: Int64 = 256
  /// The most rows deleted in one transaction.
  private static let mostDeletions: Int64 = 10_000
  /// 2 MiB.
  private static let mostLogPages: Int64 = 512

  init(_ connection: Connection, limit bytes: Int) throws(JournalError) {
    self.connection = connection
    pageSize = try connection.integer("PRAGMA page_size") ?? 4096
    let all = max(64, Int64(bytes) / pageSize)
    // Leave room for the rows of one transaction, which are written before the oldest are deleted.
    limit = all - min(Self.step, all / 8)
    pageCount = try connection.prepare("PRAGMA page_count")
    freePages = try connection.prepare("PRAGMA freelist_count")
    oldest = try connection.prepare(JournalSchema.oldestSequence)
    behind = try connection.prepare("SELECT name, cursor FROM readers WHERE cursor < ?")
    countDropped = try connection.prepare("UPDATE readers SET dropped = dropped + ? WHERE name = ?")
    deletions = [
      try connection.prepare("DELETE FROM locations WHERE sequence <= ?"),
      try connection.prepare("DELETE FROM events WHERE sequence <= ?"),
    ]
    taken = try connection.prepare("SELECT min(cursor) FROM readers")
    logPages = min(Self.mostLogPages, all / 4)
    try connection.execute(
      "PRAGMA wal_autocheckpoint = \(logPages); PRAGMA journal_size_limit = \(2 * logPages * pageSize)")
  }

  /// The minimum size of a write-ahead log of that many frames: a file header, then each page with a frame header.
  func logSize(frames: Int64) -> Int64 { frames > 0 ? 32 + frames * (24 + pageSize) : 0 }

  /// The size of the database in bytes.
  var size: Int { Int(pages * pageSize) }

  /// Deletes the oldest rows until the database is below its limit.
  ///
  /// - Parameter steps: How often to return pages to the file system, a mebibyte each time.
  /// - Returns: The number of rows that each reader lost.
  func enforce(newest: Int64, steps: Int = 1) throws(JournalError) -> [String: Int] {
    var dropped: [String: Int] = [:]
    pages = try value(pageCount)
    guard pages > limit else { return dropped }
    var used = try pages - value(freePages)
    while used > limit {
      let first = try value(oldest)
      guard first > 0 else { break }
      let last = first + min(Self.mostDeletions, max(1, (newest - first) / 64))
      let losses = try connection.transaction { () throws(JournalError) in
        let losses = try countLosses(from: first, through: last)
        try delete(through: last)
        return losses
      }
      dropped.merge(losses, uniquingKeysWith: +)
      used = try value(pageCount) - value(freePages)
    }
    try shrink(steps: steps)
    return dropped
  }

  /// Deletes the rows that all readers have taken, and returns a mebibyte to the file system when more is free than the
  /// next rows need.
  ///
  /// - Returns: Whether there were such rows.
  func removeTaken() throws(JournalError) -> Bool {
    let last = try value(taken)
    var first = try value(oldest)
    var hasRemoved = false
    while first > 0, first <= last {
      // A transaction keeps its changed pages in memory.
      let end = min(last, first + Self.mostDeletions)
      try connection.transaction { () throws(JournalError) in try delete(through: end) }
      hasRemoved = true
      first = try value(oldest)
    }
    if try value(freePages) > 2 * Self.step { try connection.execute("PRAGMA incremental_vacuum(\(Self.step))") }
    return hasRemoved
  }

  func hasRows() throws(JournalError) -> Bool { try value(oldest) > 0 }

  private func delete(through last: Int64) throws(JournalError) {
    for deletion in deletions {
      deletion.bind(last, at: 1)
      try deletion.run()
    }
  }

  /// Returns unused pages to the file system while the file is above its limit.
  private func shrink(steps: Int) throws(JournalError) {
    pages = try value(pageCount)
    var steps = steps
    while steps > 0, pages > limit, try value(freePages) > 0 {
      try connection.execute("PRAGMA incremental_vacuum(\(min(Self.step, pages - limit)))")
      let left = try value(pageCount)
      guard left < pages else { break }
      pages = left
      steps -= 1
    }
  }

  private func countLosses(from first: Int64, through last: Int64) throws(JournalError) -> [String: Int] {
    var losses: [String: Int] = [:]
    behind.bind(last, at: 1)
    while try behind.step() {
      guard let name = behind.text(0), let cursor = behind.integer(1) else { continue }
      losses[name] = Int(last - max(cursor, first - 1))
    }
    for (name, count) in losses {
      countDropped.bind(Int64(count), at: 1)
      countDropped.bind(name, at: 2)
      try countDropped.run()
    }
    return losses
  }

  /// The single number of a statement's result; 0 without a row.
  private func value(_ statement: Statement) throws(JournalError) -> Int64 {
    try statement.first { $0.integer(0) } ?? 0
  }
}
