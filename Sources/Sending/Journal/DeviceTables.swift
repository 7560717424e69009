import LocationKit
import Records

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
