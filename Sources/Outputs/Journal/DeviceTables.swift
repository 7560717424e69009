import LocationKit
import Records

/// What a journal of many devices has in addition: the key that makes a message unique, and each device's newest
/// location.
enum DeviceTables {
  /// Creates missing parts.
  static func make(_ connection: Connection) throws(JournalError) {
    for table in ["locations", "events"] {
      for column in ["message", "received", "ahead"]
      where try connection.integer("SELECT 1 FROM pragma_table_info('\(table)') WHERE name = '\(column)'") == nil {
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

  /// Whether the journal has these tables.
  private static func areThere(_ connection: Connection) throws(JournalError) -> Bool {
    try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = 'devices'") == 1
  }

  static func newestLocations(_ connection: Connection) throws(JournalError) -> [Location] {
    guard try areThere(connection) else { return [] }
    return try read(
      connection.prepare(
        "SELECT \(RecordColumns.names(RecordMember.location, in: "devices", of: connection)) FROM devices ORDER BY device"
      ))
  }

  static func recentLocations(_ connection: Connection, within seconds: Double) throws(JournalError) -> [Location] {
    guard try areThere(connection) else { return [] }
    let rows = try connection.prepare(
      """
      SELECT \(RecordColumns.names(RecordMember.location, of: "locations")) FROM devices JOIN locations
        ON locations.device = devices.device AND locations.time BETWEEN devices.time - ? AND devices.time
      WHERE locations.ahead IS NULL ORDER BY locations.device, locations.time, locations.message
      """)
    rows.bind(Int64(seconds * 1e9), at: 1)
    return try read(rows)
  }

  private static func read(_ rows: Statement) throws(JournalError) -> [Location] {
    var locations: [Location] = []
    while try rows.step() {
      var location = Location.unread
      if rows.read(RecordMember.location, from: 0, into: &location) { locations.append(location) }
    }
    return locations
  }

  /// The last crossing of each of this program's fences by each device. SQLite takes all columns from the row with the
  /// maximum.
  static func lastCrossings(_ connection: Connection) throws(JournalError) -> [RegionCrossing] {
    guard try areThere(connection) else { return [] }
    let rows = try connection.prepare(
      """
      SELECT max(time), \(RecordColumns.names(RecordMember.crossing)) FROM events
      WHERE type = 'fence' AND device IS NOT NULL AND reported IS NULL GROUP BY device, fence
      """)
    var crossings: [RegionCrossing] = []
    while try rows.step() {
      var crossing = RegionCrossing.unread
      if rows.read(RecordMember.crossing, from: 1, into: &crossing) { crossings.append(crossing) }
    }
    return crossings
  }
}

/// The statements that write the records of many devices.
final class DeviceInsertion {
  private let connection: Connection
  private let location: Statement
  private let crossing: Statement
  private let newest: Statement

  init(_ connection: Connection) throws(JournalError) {
    self.connection = connection
    let (locations, crossings) = (RecordMember.location, RecordMember.crossing)
    location = try connection.prepare(
      """
      INSERT INTO locations (sequence, \(RecordColumns.names(locations)), message, received, ahead)
        VALUES (?,\(RecordColumns.places(locations.count + 3))) ON CONFLICT DO NOTHING
      """)
    crossing = try connection.prepare(
      """
      INSERT INTO events (sequence, type, \(RecordColumns.names(crossings)), message, received, ahead)
        VALUES (?,'fence',\(RecordColumns.places(crossings.count + 3))) ON CONFLICT DO NOTHING
      """)
    let changes = locations.map { "\($0.name) = excluded.\($0.name)" }.joined(separator: ", ")
    newest = try connection.prepare(
      """
      INSERT INTO devices (\(RecordColumns.names(locations))) VALUES (\(RecordColumns.places(locations.count)))
        ON CONFLICT DO UPDATE SET \(changes) WHERE excluded.time > time
      """)
  }

  /// Returns whether the record is a new row, which then has the sequence number.
  func insert(_ record: DeviceRecord, _ sequence: Int64) throws(JournalError) -> Bool {
    switch record.record {
    case .location(let value):
      try insert(RecordMember.location, of: value, into: location, record, sequence)
    case .crossing(let value):
      try insert(RecordMember.crossing, of: value, into: crossing, record, sequence)
    case .error: false
    }
  }

  private func insert<Record>(
    _ members: [RecordMember<Record>], of value: Record, into statement: Statement, _ record: DeviceRecord,
    _ sequence: Int64
  ) throws(JournalError) -> Bool {
    let last = Int32(2 + members.count)
    statement.bind(sequence, at: 1)
    statement.bind(members, of: value, from: 2)
    statement.bind(record.message, at: last)
    statement.bind(record.received.nanosecondsSince1970, at: last + 1)
    statement.bind(record.isAhead ? Int64(1) : nil, at: last + 2)
    try statement.run()
    return connection.changes > 0
  }

  func noteNewest(_ location: Location) throws(JournalError) {
    newest.bind(RecordMember.location, of: location, from: 1)
    try newest.run()
  }
}
