import FoundationEssentials
import LocationKit
import Records

enum RecordColumns {
  static func names<Record>(_ members: [RecordMember<Record>]) -> String {
    members.map { "\($0.name)" }.joined(separator: ", ")
  }

  /// The names for reading a table, with NULL for columns that a table of an older program lacks.
  static func names<Record>(_ members: [RecordMember<Record>], in table: String, of connection: Connection)
    throws(JournalError) -> String
  {
    let columns = try columns(of: table, in: connection)
    return members.map { $0.isRequired || columns.contains("\($0.name)") ? "\($0.name)" : "NULL" }.joined(
      separator: ", ")
  }

  /// Statements that add missing columns to a table of an older program. Programs that do not know them leave them
  /// NULL.
  static func additions<Record>(_ members: [RecordMember<Record>], to table: String, of connection: Connection)
    throws(JournalError) -> [String]
  {
    let columns = try columns(of: table, in: connection)
    // The whole table is missing.
    if columns.isEmpty { return [] }
    return members.filter { !$0.isRequired && !columns.contains("\($0.name)") }.map {
      "ALTER TABLE \(table) ADD COLUMN \($0.name) \(type($0))"
    }
  }

  static func columns(of table: String, in connection: Connection) throws(JournalError) -> [String] {
    let rows = try connection.prepare("SELECT name FROM pragma_table_info(?)")
    rows.bind(table, at: 1)
    return try rows.all { $0.text(0) }
  }

  static func definitions<Record>(_ members: [RecordMember<Record>], allowsNull: Bool = false) -> String {
    members.map { "  \($0.name) \(type($0))\($0.isRequired && !allowsNull ? " NOT NULL" : "")" }.joined(
      separator: ",\n")
  }

  private static func type<Record>(_ member: RecordMember<Record>) -> String {
    switch member.access {
    case .time, .whole, .flag: "INTEGER"
    case .angle, .measure: "REAL"
    case .text: "TEXT"
    }
  }
}

/// A row of either database, whose columns count from 0. Values are `nil` for NULL.
protocol RecordRow {
  func integer(_ column: Int) -> Int64?
  func double(_ column: Int) -> Double?
  func text(_ column: Int) -> String?
  func flag(_ column: Int) -> Bool?
  func time(_ column: Int) -> Date?
}

extension RecordRow {
  /// Reads the columns from `first` on into a record. Returns false if a required one is missing.
  func read<Record>(_ members: [RecordMember<Record>], from first: Int = 0, into record: inout Record) -> Bool {
    for (column, member) in zip(first..., members) {
      let isRead =
        switch member.access {
        case .time(_, let set): time(column).map { set(&record, $0) } != nil
        case .angle(_, let set), .measure(_, let set): double(column).map { set(&record, $0) } != nil
        case .whole(_, let set): integer(column).map { set(&record, Int($0)) } != nil
        case .text(_, let set): text(column).map { set(&record, $0) } ?? false
        case .flag(_, let set): flag(column).map { set(&record, $0) } != nil
        }
      if !isRead && member.isRequired { return false }
    }
    return true
  }
}

extension Statement: RecordRow {
  func flag(_ column: Int) -> Bool? { integer(column).map { $0 != 0 } }
  func time(_ column: Int) -> Date? { integer(column).map(Date.init(nanosecondsSince1970:)) }

  func all<Record>(_ members: [RecordMember<Record>], _ unread: Record) throws(JournalError) -> [Record] {
    try all { row in
      var record = unread
      return row.read(members, into: &record) ? record : nil
    }
  }

  func bind<Record>(_ members: [RecordMember<Record>], of record: Record, from first: Int) {
    for (index, member) in zip(first..., members) {
      switch member.access {
      case .time(let get, _): bind(get(record)?.nanosecondsSince1970, at: index)
      case .angle(let get, _), .measure(let get, _): bind(get(record), at: index)
      case .whole(let get, _): bind(get(record).map(Int64.init), at: index)
      case .text(let get, _): bind(get(record), at: index)
      case .flag(let get, _): bind(get(record).map { $0 ? Int64(1) : 0 }, at: index)
      }
    }
  }
}

extension Date {
  /// Nanoseconds since 1970-01-01 UTC; `nil` outside the years 1678 to 2261, the range of 64 bits.
  ///
  /// The value is rounded to microseconds: a `Double` of seconds has steps of a tenth of a microsecond today, so
  /// smaller digits are not meaningful. A text's 0.900 s are 900000000 ns.
  var nanosecondsSince1970: Int64? {
    // Seconds and fraction are converted separately, because their product would not keep microseconds.
    let seconds = timeIntervalSinceReferenceDate
    guard abs(seconds) < 8e9 else { return nil }
    let whole = seconds.rounded(.down)
    let microseconds = ((seconds - whole) * 1e6).rounded()
    return (Int64(whole) + Int64(Date.timeIntervalBetween1970AndReferenceDate)) * 1_000_000_000
      + Int64(microseconds) * 1000
  }

  /// The same `Date` as reading this time from text gives.
  init(nanosecondsSince1970 nanoseconds: Int64) {
    let (seconds, fraction) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    self.init(timeIntervalSince1970: Double(seconds) + Double(fraction) / 1e9)
  }
}

/// What a journal of many devices has in addition: the key that makes a message unique, and each device's newest
/// location.
enum DeviceTables {
  static func make(_ connection: Connection) throws(JournalError) {
    for table in ["locations", "events"] {
      for column in ["message", "received", "ahead"]
      where try !RecordColumns.columns(of: table, in: connection).contains(column) {
        try connection.execute("ALTER TABLE \(table) ADD COLUMN \(column) INTEGER")
      }
    }
    try connection.execute(
      """
      CREATE UNIQUE INDEX IF NOT EXISTS locationMessages ON locations (device, time, message) WHERE device IS NOT NULL;
      CREATE UNIQUE INDEX IF NOT EXISTS eventMessages ON events (device, time, message) WHERE device IS NOT NULL;
      """)
    let (members, found) = (newestMembers, try RecordColumns.columns(of: "devices", in: connection))
    if found.first == "device", members.allSatisfy({ found.contains("\($0.name)") }) { return }
    guard !found.isEmpty else { return try connection.execute(devices) }
    // An older program may have created the table with other columns or in another order.
    let names = RecordColumns.names(members)
    let old = try RecordColumns.names(members, in: "devices", of: connection)
    try connection.execute(
      """
      CREATE TEMP TABLE known AS SELECT \(old) FROM devices;
      DROP TABLE devices;
      \(devices);
      INSERT INTO devices (\(names)) SELECT * FROM known;
      DROP TABLE known;
      """)
  }

  /// The columns of `devices`. The key is the first: SQLite 3.40's integrity check reports NULL in the key of another
  /// column.
  private static var newestMembers: [RecordMember<Location>] {
    let key = RecordMember.location.filter { "\($0.name)" == "device" }
    return key + RecordMember.location.filter { "\($0.name)" != "device" }
  }

  private static var devices: String {
    """
    CREATE TABLE devices (
    \(RecordColumns.definitions(newestMembers)),
      PRIMARY KEY (device)
    ) WITHOUT ROWID
    """
  }

  private static func exists(_ connection: Connection) throws(JournalError) -> Bool {
    try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = 'devices'") == 1
  }

  static func newestLocations(_ connection: Connection) throws(JournalError) -> [Location] {
    guard try exists(connection) else { return [] }
    let names = try RecordColumns.names(RecordMember.location, in: "devices", of: connection)
    return try connection.prepare("SELECT \(names) FROM devices ORDER BY device").all(RecordMember.location, .unread)
  }

  /// The number of locations before the recent ones, of which one tells on which side of a fence the device was.
  static let earlierLocations = 5

  // CROSS keeps SQLite from reading all locations instead of a few of each device.
  static func recentLocations(_ connection: Connection, within seconds: Double) throws(JournalError) -> [Location] {
    guard try exists(connection) else { return [] }
    let rows = try connection.prepare(
      """
      SELECT \(RecordMember.location.map { "locations.\($0.name)" }.joined(separator: ", ")) FROM devices CROSS JOIN locations
        ON locations.device = devices.device AND locations.time <= devices.time AND locations.time >= coalesce((
          SELECT min(time) FROM (
            SELECT time FROM locations AS earlier WHERE earlier.device = devices.device AND time < devices.time - ?1
              AND ahead IS NULL ORDER BY time DESC LIMIT ?2)
        ), devices.time - ?1)
      WHERE locations.ahead IS NULL ORDER BY locations.device, locations.time, locations.message
      """)
    rows.bind(all: Int64(seconds * 1e9), Int64(earlierLocations))
    return try rows.all(RecordMember.location, .unread)
  }

  /// The last crossing of each of this program's fences by each device: SQLite takes all columns from the row with the
  /// maximum.
  static func lastCrossings(_ connection: Connection) throws(JournalError) -> [RegionCrossing] {
    guard try exists(connection) else { return [] }
    let rows = try connection.prepare(
      """
      SELECT \(RecordColumns.names(RecordMember.crossing)), max(time) FROM events
      WHERE type = 'fence' AND device IS NOT NULL AND reported IS NULL GROUP BY device, fence
      """)
    return try rows.all(RecordMember.crossing, .unread)
  }
}
