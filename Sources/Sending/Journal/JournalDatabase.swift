import CSQLite
import FoundationEssentials
import LocationKit

final class JournalDatabase {
  let connection: Connection
  let bound: JournalBound
  let newest: Int64
  let repaired: [String]
  private let insertion: Insertion

  /// Opens the database of a journal and creates missing tables, in a trial within a transaction that ends with the
  /// connection. A foreign file is not changed.
  init(path: String, limit: Int, isForDevices: Bool, isTrial: Bool = false) throws(JournalError) {
    connection = try Connection(path: path)
    connection.setBusyTimeout(milliseconds: 2000)
    if isTrial, JournalHeader.size(of: JournalHeader.companion("-wal", of: path)) > 0 { connection.leaveLogOnClose() }
    let isNew = try JournalSchema.isMissing(connection)
    if !isNew {
      try JournalSchema.check(connection, path: path)
      if isTrial || JournalHeader.size(of: path) <= Self.checkedSize { try Self.checkPages(connection, path) }
    }
    // These settings cannot be changed within a transaction.
    if isNew && !isTrial { try connection.execute(JournalSchema.beforeTables) }
    // Rows of many devices are looked up by device and time, which touches pages all over an index.
    let cache = isForDevices ? 4096 : 1024
    try connection.execute("\(JournalSchema.safety); PRAGMA cache_size = -\(cache)")
    if isTrial { try connection.execute("BEGIN IMMEDIATE") }
    let missing = try Self.makeTables(connection)
    repaired = isNew ? [] : missing
    newest = try connection.integer(JournalSchema.newestSequence) ?? 0
    try JournalSchema.checkNewest(newest, path: path)
    if isForDevices {
      try connection.transaction { [connection] () throws(JournalError) in try DeviceTables.make(connection) }
    }
    bound = try JournalBound(connection, limit: limit)
    insertion = try Insertion(connection, isForDevices: isForDevices)
    if isTrial { return }
    // The limit may have been higher before.
    var dropped: [String: Int] = [:]
    try bound.enforce(newest: newest, steps: .max, &dropped)
    connection.watchLog()
    // Writing the log back puts the tables into the database itself, where they do not depend on the log.
    _ = try connection.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
  }

  /// The size in bytes up to which all pages are checked at each start, which takes about 0.1 seconds.
  private static let checkedSize: Int64 = 32 << 20

  /// Checks the pages of the rows. SQLite 3.40 misreports tables like `devices` of older programs.
  private static func checkPages(_ connection: Connection, _ path: String) throws(JournalError) {
    for table in ["locations", "events"] {
      let check = try connection.prepare("SELECT * FROM pragma_quick_check(?) LIMIT 1")
      check.bind(table, at: 1)
      // A missing table is created again.
      guard try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = ?", table) != nil,
        let result = try check.first({ $0.text(0) }), result != "ok"
      else { continue }
      throw JournalError(.damaged, path: path, JournalError.isDamaged(result.replacing("\n", with: " ")))
    }
  }

  private static func makeTables(_ connection: Connection) throws(JournalError) -> [String] {
    let missing = try JournalSchema.missingParts(connection)
    let additions = try JournalSchema.additions(connection)
    guard !missing.isEmpty || !additions.isEmpty else { return [] }
    try connection.transaction { () throws(JournalError) in
      // The columns that an older program did not create come first, because the view names them.
      for statement in additions { try connection.execute(statement) }
      try connection.execute(JournalSchema.tables)
    }
    return missing
  }

  func tryWriting() throws(JournalError) {
    let fence = Region(center: LocationCoordinate2D(latitude: 0, longitude: 0), radius: 1, identifier: "trial")
    let place = Location(latitude: 0, longitude: 0)
    _ = try write(after: newest) { insertion, sequence throws(JournalError) in
      try insertion.run(
        [
          .insert(.location(place)), .insert(.crossing(RegionCrossing(fence, .inside, at: place))),
          .insert(.error(LocationError(.locationUnknown, ""), nil)), .confirmFences(.now), .keepFences([]),
        ], after: &sequence)
    }
    try connection.deleteRows(newest + 1 ... .max)
  }

  /// Calls `body` in one transaction. The rows get the numbers after `sequence`. Returns the last number.
  func write(
    after sequence: Int64, _ body: (Insertion, inout Int64) throws(JournalError) -> Void
  ) throws(JournalError) -> Int64 {
    insertion.untimed = 0
    return try connection.transaction { () throws(JournalError) in
      var sequence = sequence
      try body(insertion, &sequence)
      return sequence
    }
  }

  var untimed: Int { insertion.untimed }

  var leastLogSize: Int64 { bound.logSize(frames: connection.logFrames) }
}
