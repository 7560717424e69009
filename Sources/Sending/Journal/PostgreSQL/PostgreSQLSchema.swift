import FoundationEssentials
import LocationKit
import Platform
import Records

/// The tables of a journal in a database. The first writer creates and upgrades them, under a lock.
///
/// `locations` has a partition for each month, so that old months can be dropped at once. Programs that do not know a
/// column of a later version leave it NULL.
enum PostgreSQLSchema {
  /// The version that a program must know to write here.
  private static let version = 1
  /// The lock for creating tables and partitions in this database.
  private static let lock = "; SELECT pg_advisory_xact_lock(7882829512)"

  static func has(_ table: String, _ connection: PostgreSQLConnection) throws(JournalError) -> Bool {
    // to_regclass may remember from before the lock that the table was missing.
    try connection.rows("SELECT 1 FROM pg_class WHERE relname = $1 AND pg_table_is_visible(oid)", [table]).count > 0
  }

  static func exists(_ connection: PostgreSQLConnection) throws(JournalError) -> Bool {
    guard try has("rxlocationd", connection) else { return false }
    let found = try connection.rows("SELECT max(version) FROM rxlocationd")[0].text(0).flatMap(Int.init) ?? 0
    if found > version {
      throw connection.address.error(.newerVersion, "was made by a newer version of this program; install that")
    }
    return found > 0
  }

  /// Creates missing parts. Returns the tables of an existing journal that were missing.
  static func make(_ connection: PostgreSQLConnection) throws(JournalError) -> [String] {
    if try missing(connection).statements.isEmpty { return [] }
    return try connection.transaction(lock) { () throws(JournalError) in
      // Another program may have created it meanwhile.
      let missing = try missing(connection)
      for statement in missing.statements { try connection.execute(statement) }
      return missing.tables.count < tables.count ? missing.tables : []
    }
  }

  /// The missing tables, and the statements that create all missing parts. There are no statements for a complete
  /// journal, so that a user without the right to create tables can write.
  private static func missing(
    _ connection: PostgreSQLConnection
  ) throws(JournalError) -> (tables: [String], statements: [String]) {
    _ = try exists(connection)
    let found = try connection.rows("SELECT relname FROM pg_class WHERE pg_table_is_visible(oid)").texts
    let lost = tables.filter { !found.contains($0.name) }
    let names = lost.map(\.name)
    return (names, lost.map(\.creation) + (try additions(connection, besides: names)) + (try view(connection)))
  }

  /// Statements that add the columns that an older program has not created, except to missing tables.
  private static func additions(
    _ connection: PostgreSQLConnection, besides missing: [String]
  ) throws(JournalError) -> [String] {
    var statements: [String] = []
    for table in ["locations", "devices", "judged"] where !missing.contains(table) {
      statements += try additions(RecordMember.location, to: table, connection)
    }
    guard !missing.contains("events") else { return statements }
    return try statements + additions(RecordMember.crossing, to: "events", connection)
  }

  private static let tables: [(name: String, creation: String)] = [
    (
      "rxlocationd",
      "CREATE TABLE rxlocationd (version integer NOT NULL); INSERT INTO rxlocationd VALUES (\(version))"
    ),
    table(
      "locations", columns(RecordMember.location) + [DeviceColumn.definitions, messageKey], "PARTITION BY RANGE (time)"),
    table("events", ["type text NOT NULL"] + columns(RecordMember.crossing) + [DeviceColumn.definitions, messageKey]),
    table("devices", columns(RecordMember.location) + ["PRIMARY KEY (device)"]),
    table("judged", ["judge text NOT NULL"] + columns(RecordMember.location) + ["PRIMARY KEY (judge, device)"]),
  ]
  private static let messageKey = "PRIMARY KEY (device, time, message)"

  private static func table(
    _ name: String, _ parts: [String], _ options: String = ""
  ) -> (name: String, creation: String) {
    (name, "CREATE TABLE \(name) (\(parts.joined(separator: ", "))) \(options)")
  }

  private static func columns<Record>(_ members: [RecordMember<Record>]) -> [String] {
    members.map { PostgreSQLColumns.definition($0) + ($0.isRequired ? " NOT NULL" : "") }
  }

  private static func additions<Record>(
    _ members: [RecordMember<Record>], to table: String, _ connection: PostgreSQLConnection
  ) throws(JournalError) -> [String] {
    let rows = try connection.rows(
      "SELECT attname FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped", [table])
    return members.filter { !rows.texts.contains("\($0.name)") }
      .map { "ALTER TABLE \(table) ADD COLUMN \(PostgreSQLColumns.definition($0))" }
  }

  /// If PostGIS is installed, the statement for a view of the locations with their points.
  private static func view(_ connection: PostgreSQLConnection) throws(JournalError) -> [String] {
    let rows = try connection.rows(
      """
      SELECT 1 FROM pg_extension WHERE extname = 'postgis' AND to_regclass('trail') IS NULL
        AND has_schema_privilege(current_schema(), 'CREATE')
      """)
    guard rows.count > 0 else { return [] }
    return [
      """
      CREATE VIEW trail AS SELECT *, ST_SetSRID(ST_MakePoint(longitude, latitude), 4326)::geography AS place
      FROM locations
      """
    ]
  }

  // MARK: Months

  /// The partition of `locations` for a time. All times before this century share one.
  struct Month: Hashable {
    let year: Int
    let month: Int

    init(of time: Date) {
      // The server's value is rounded: the last moment of a month may become the first of the next.
      let time = time.microsecondsSince2000.map { Date(microsecondsSince2000: $0) } ?? time
      let days = (time.timeIntervalSince1970 / 86_400).rounded(.down)
      let date = CivilDate(daysSince1970: Int(days))
      (year, month) = date.year < 2000 ? (1999, 12) : (date.year, date.month)
    }

    var table: String { "locations_\(year)_\(twoDigits(month))" }
    private init(year: Int, month: Int) { (self.year, self.month) = (year, month) }

    var next: Month { month == 12 ? Month(year: year + 1, month: 1) : Month(year: year, month: month + 1) }

    private var start: String { year < 2000 ? "MINVALUE" : "'\(year)-\(month)-01 00:00:00+00'" }
    private var end: String { "'\(next.year)-\(next.month)-01 00:00:00+00'" }

    var creation: String {
      // Attaching a table waits for no reader. Creating a partition directly would, and would block all writers behind
      // it.
      "CREATE TABLE \(table) (LIKE locations INCLUDING ALL); "
        + "ALTER TABLE locations ATTACH PARTITION \(table) FOR VALUES FROM (\(start)) TO (\(end))"
    }
  }

  /// Creates the missing partitions for these months.
  ///
  /// - Throws: `JournalError` with the reason `cannotOpen` and the statements to run, if this user may not create one.
  static func make(_ months: Set<Month>, _ connection: PostgreSQLConnection) throws(JournalError) {
    guard !months.isEmpty else { return }
    // A separate transaction: if it had written rows and waited here, it would block the program that creates a
    // partition.
    try connection.transaction(lock) { () throws(JournalError) in
      for month in months.sorted(by: { $0.table < $1.table }) where try !has(month.table, connection) {
        do throws(JournalError) {
          try connection.execute(month.creation)
        } catch {
          guard error.reason == .cannotOpen else { throw error }
          throw connection.address.error(
            .cannotOpen,
            "has no partition for \(month.year)-\(twoDigits(month.month)), and this user may not create one; let a user who "
              + "may run: \(month.creation)")
        }
      }
    }
  }

  /// Drops the months that ended before `time`, and the events before it. It waits two seconds for readers, then throws
  /// `JournalError` with the reason `locked`.
  static func drop(before time: Date, _ connection: PostgreSQLConnection) throws(JournalError) {
    // While this waits for readers, it blocks writers.
    try connection.transaction("; SET LOCAL lock_timeout TO '2s'\(lock)") { () throws(JournalError) in
      let rows = try connection.rows(
        "SELECT c.relname FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = 'locations'::regclass")
      let first = Month(of: time).table
      for name in rows.texts where name.hasPrefix("locations_") && name < first {
        try connection.execute("DROP TABLE \(name)")
      }
      if let limit = time.microsecondsSince2000 {
        _ = try connection.rows("DELETE FROM events WHERE time < \(PostgreSQLColumns.time("$1"))", ["\(limit)"])
      }
    }
  }
}

/// The columns of a record of many devices in addition to its members.
enum DeviceColumn {
  static let names = "message, received, ahead"
  static let definitions = "message bigint NOT NULL, received timestamptz NOT NULL, ahead boolean"
  static let count = 3
}

enum PostgreSQLColumns {
  static func names<Record>(_ members: [RecordMember<Record>]) -> String { members.map(name).joined(separator: ", ") }

  static func name<Record>(_ member: RecordMember<Record>) -> String { "\"\(member.name)\"" }

  static func definition<Record>(_ member: RecordMember<Record>) -> String {
    let type =
      switch member.access {
      case .time: "timestamptz"
      case .whole: "bigint"
      case .angle, .measure: "double precision"
      case .text: "text"
      case .flag: "boolean"
      }
    return "\(name(member)) \(type)"
  }

  /// A time of a parameter with microseconds since 2000.
  static func time(_ parameter: String) -> String {
    "'2000-01-01 00:00:00+00'::timestamptz + \(parameter)::bigint * interval '1 microsecond'"
  }
}

extension Date {
  private static let secondsFrom1970To2000: Int64 = 946_684_800

  /// Microseconds since 2000-01-01 UTC, the server's epoch; `nil` outside the years 1678 to 2261.
  var microsecondsSince2000: Int64? {
    nanosecondsSince1970.map { nanoseconds in
      let (seconds, fraction) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
      return (seconds - Self.secondsFrom1970To2000) * 1_000_000 + fraction / 1000
    }
  }

  init(microsecondsSince2000 microseconds: Int64) {
    let (seconds, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    self.init(nanosecondsSince1970: (seconds + Self.secondsFrom1970To2000) * 1_000_000_000 + fraction * 1000)
  }
}

/// Rows in COPY's binary format: a number of fields, then each field's length and bytes.
struct PostgreSQLCopy {
  private static let signature = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00]

  private var rows: [UInt8] = []
  private(set) var count = 0

  mutating func add<Record>(_ members: [RecordMember<Record>], of value: Record, with record: DeviceRecord) {
    append(Int16(members.count + DeviceColumn.count))
    for member in members {
      switch member.access {
      case .time(let get, _): add(get(value)?.microsecondsSince2000)
      case .angle(let get, _), .measure(let get, _): add(get(value).map { Int64(bitPattern: $0.bitPattern) })
      case .whole(let get, _): add(get(value).map(Int64.init))
      case .text(let get, _): add(get(value))
      case .flag(let get, _): add(get(value))
      }
    }
    add(record.message)
    add(record.received.microsecondsSince2000)
    add(record.isAhead ? true : nil)
    count += 1
  }

  var bytes: [UInt8] {
    // No flags and no header extension; the trailer is a row of -1 fields.
    Self.signature + [UInt8](repeating: 0, count: 8) + rows + [0xFF, 0xFF]
  }

  private mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.bigEndian) { rows.append(contentsOf: $0) }
  }

  private mutating func add(_ field: Int64?) {
    guard let field else { return addNull() }
    append(Int32(8))
    append(field)
  }

  private mutating func add(_ field: Bool?) {
    guard let field else { return addNull() }
    append(Int32(1))
    rows.append(field ? 1 : 0)
  }

  private mutating func add(_ field: String?) {
    guard let field else { return addNull() }
    // A text in PostgreSQL cannot contain a zero byte.
    let text = field.replacing("\0", with: "\u{FFFD}")
    append(Int32(text.utf8.count))
    rows.append(contentsOf: text.utf8)
  }

  private mutating func addNull() { append(Int32(-1)) }
}
