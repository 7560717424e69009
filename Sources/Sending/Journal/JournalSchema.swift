import Records

/// The tables of a journal, which other programs may read; the article "Tables" describes them.
enum JournalSchema {
  /// The value of `PRAGMA application_id` in the file's header: "RxLj" in ASCII.
  static let applicationID: Int64 = 0x5278_4C6A
  static let version: Int64 = 1

  /// Settings before the first table, which cannot be changed within a transaction.
  static let beforeTables = "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL"

  /// Settings of each connection of the writer and of its readers. A commit is then in the system's cache. It survives the
  /// end of the process but not a power cut.
  static let safety = "PRAGMA synchronous = NORMAL"

  /// The columns of errors that crossings do not have.
  private static let errorColumns = RecordMember.error.filter { member in
    !RecordMember.crossing.contains { "\($0.name)" == "\(member.name)" }
  }

  static let tables = """
    CREATE TABLE IF NOT EXISTS locations (
      sequence INTEGER PRIMARY KEY,
    \(RecordColumns.definitions(RecordMember.location))
    );
    CREATE TABLE IF NOT EXISTS events (
      sequence INTEGER PRIMARY KEY,
      type TEXT NOT NULL,
    \(RecordColumns.definitions(RecordMember.crossing, allowsNull: true)),
    \(RecordColumns.definitions(errorColumns, allowsNull: true))
    );
    CREATE TABLE IF NOT EXISTS readers (
      name TEXT PRIMARY KEY,
      cursor INTEGER NOT NULL,
      dropped INTEGER NOT NULL DEFAULT 0
    );
    CREATE TABLE IF NOT EXISTS fences (
      fence TEXT PRIMARY KEY,
      latitude REAL NOT NULL,
      longitude REAL NOT NULL,
      radius REAL NOT NULL,
      state TEXT NOT NULL,
      time INTEGER
    );
    CREATE VIEW IF NOT EXISTS trail AS
      SELECT sequence,
        strftime('%Y-%m-%dT%H:%M:%S', time / 1000000000, 'unixepoch')
          || printf('.%03dZ', time / 1000000 % 1000) AS time,
        latitude, longitude, altitude, horizontalAccuracy, course, speed, mode, satellites, device
      FROM locations;
    PRAGMA application_id = \(applicationID);
    PRAGMA user_version = \(version);
    """

  /// The highest sequence number ever used: a reader may be further than the remaining rows.
  static let newestSequence = """
    SELECT max(
      ifnull((SELECT max(sequence) FROM locations), 0), ifnull((SELECT max(sequence) FROM events), 0),
      ifnull((SELECT max(cursor) FROM readers), 0))
    """

  static let oldestSequence = """
    SELECT min(sequence) FROM (
      SELECT min(sequence) AS sequence FROM locations UNION ALL SELECT min(sequence) FROM events)
    """

  /// The side of each fence after a row: the receiver was inside if the next event of the fence is an exit, and without
  /// a later event the state still holds. SQLite takes `event` from the row with the minimum.
  static let fenceStates = """
    WITH next AS (
      SELECT fence, event, min(sequence) FROM events WHERE sequence > ? AND type = 'fence' GROUP BY fence)
    SELECT fence, event = 'exit' FROM next UNION ALL
    SELECT fence, state = 'inside' FROM fences
      WHERE state IN ('inside', 'outside') AND fence NOT IN (SELECT fence FROM next)
    """

  /// The row number from which rows are refused, because later rows need a number, too.
  private static let mostRows: Int64 = 1 << 62

  static func checkNewest(_ newest: Int64, path: String) throws(JournalError) {
    guard newest < mostRows else {
      throw JournalError(
        .damaged, path: path,
        "has a row with the number \(newest), behind which no row can be numbered, and stays as it is; move it away, or "
          + "name another file")
    }
  }

  /// Whether the file has no table yet, like a new file.
  static func isMissing(_ connection: Connection) throws(JournalError) -> Bool {
    guard try connection.integer("PRAGMA application_id") ?? 0 == 0 else { return false }
    return try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
  }

  static func missingParts(_ connection: Connection) throws(JournalError) -> [String] {
    let rows = try connection.prepare("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")
    let names = try rows.all { $0.text(0) }
    return ["locations", "events", "readers", "fences", "trail"].filter { !names.contains($0) }
  }

  /// Statements that upgrade the tables and the view of an older program. Programs that do not know the new columns
  /// leave them NULL.
  static func additions(_ connection: Connection) throws(JournalError) -> [String] {
    let columns = try RecordColumns.additions(RecordMember.location, to: "locations", of: connection)
    let eventColumns = try RecordColumns.additions(RecordMember.crossing, to: "events", of: connection)
    // The view is created again with the tables.
    let isOld = try connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE name = 'trail' AND sql NOT LIKE '%device%'")
    return columns + eventColumns + (isOld == 1 ? ["DROP VIEW trail"] : [])
  }

  static func check(_ connection: Connection, path: String) throws(JournalError) {
    guard try connection.integer("PRAGMA application_id") == applicationID else {
      throw JournalError(
        .foreign, path: path, "is a database of another program and stays as it is; name another file")
    }
    let version = try connection.integer("PRAGMA user_version") ?? 0
    guard version <= self.version else {
      throw JournalError(
        .newerVersion, path: path,
        "has version \(version) and this program knows \(self.version): a newer one made it; "
          + "use that one, or name another file")
    }
  }
}
