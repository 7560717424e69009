/// Limits the size of a journal's file: above the limit it deletes the oldest rows.
final class JournalBound {
  private let connection: Connection
  private let pageSize: Int64
  /// In pages.
  private let limit: Int64
  private var pages: Int64 = 0
  /// The size of the write-ahead log, in pages, at which it is written back.
  let logPages: Int64

  /// The number of pages freed at once, so that no commit takes long: a mebibyte.
  private static let step: Int64 = 256
  /// The most rows deleted in one transaction, which keeps its changed pages in memory.
  private static let mostDeletions: Int64 = 10_000
  private static let mostLogPages: Int64 = 512

  init(_ connection: Connection, limit bytes: Int) throws(JournalError) {
    self.connection = connection
    pageSize = try connection.integer("PRAGMA page_size") ?? 4096
    let all = max(64, Int64(bytes) / pageSize)
    // Leave room for the rows of one transaction, which are written before the oldest are deleted.
    limit = all - min(Self.step, all / 8)
    logPages = min(Self.mostLogPages, all / 4)
    try connection.execute(
      "PRAGMA wal_autocheckpoint = \(logPages); PRAGMA journal_size_limit = \(2 * logPages * pageSize)")
  }

  /// The minimum size of a write-ahead log of that many frames: a file header, then each page with a frame header.
  func logSize(frames: Int64) -> Int64 { frames > 0 ? 32 + frames * (24 + pageSize) : 0 }

  var size: Int { Int(pages * pageSize) }

  /// Deletes the oldest rows until the database is below its limit, and returns pages to the file system, a mebibyte in
  /// each of `steps`. Adds the number of rows that each reader lost to `dropped`, also before a failure.
  func enforce(newest: Int64, steps: Int = 1, _ dropped: inout [String: Int]) throws(JournalError) {
    pages = try value("PRAGMA page_count")
    guard pages > limit else { return }
    while try value("PRAGMA page_count") - freePages() > limit {
      let first = try value(JournalSchema.oldestSequence)
      guard first > 0 else { break }
      let last = first + min(Self.mostDeletions, max(1, (newest - first) / 64))
      let losses = try connection.transaction { () throws(JournalError) in
        let losses = try countLosses(from: first, through: last)
        try connection.deleteRows(.min...last)
        return losses
      }
      dropped.merge(losses, uniquingKeysWith: +)
    }
    try shrink(steps: steps)
  }

  /// Returns unused pages to the file system while the file is above its limit.
  private func shrink(steps: Int) throws(JournalError) {
    pages = try value("PRAGMA page_count")
    var steps = steps
    while steps > 0, pages > limit, try freePages() > 0 {
      try connection.execute("PRAGMA incremental_vacuum(\(min(Self.step, pages - limit)))")
      let left = try value("PRAGMA page_count")
      guard left < pages else { break }
      pages = left
      steps -= 1
    }
  }

  private func countLosses(from first: Int64, through last: Int64) throws(JournalError) -> [String: Int] {
    var losses: [String: Int] = [:]
    let behind = try connection.prepare("SELECT name, cursor FROM readers WHERE cursor < ?")
    behind.bind(last, at: 1)
    while try behind.step() {
      guard let name = behind.text(0), let cursor = behind.integer(1) else { continue }
      losses[name] = Int(last - max(cursor, first - 1))
    }
    for (name, count) in losses {
      let update = try connection.prepare("UPDATE readers SET dropped = dropped + ? WHERE name = ?")
      update.bind(Int64(count), at: 1)
      update.bind(name, at: 2)
      try update.run()
    }
    return losses
  }

  private func freePages() throws(JournalError) -> Int64 { try value("PRAGMA freelist_count") }

  private func value(_ sql: String) throws(JournalError) -> Int64 { try connection.integer(sql) ?? 0 }
}
