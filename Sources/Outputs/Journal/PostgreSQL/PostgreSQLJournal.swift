public import FoundationEssentials
public import LocationKit
import Platform
import Records

/// A journal of many devices in a PostgreSQL database. Any number of programs may write to it at the same time.
///
/// It connects at its first use, and again after each failure. Committed records are on the server's disk, as far as
/// the server is configured so. One thread at a time.
public final class PostgreSQLJournal: DeviceJournal, DeviceHistory {
  /// The name for messages, without a password.
  public let name: String
  /// The least number of days for which locations and crossings are kept; older months are dropped. `nil` to keep all.
  public var days: Int?
  /// The name of this program as a judge of fences; `nil` if it does not judge fences. Other programs may be ahead with
  /// a device, but a judge continues from the locations that it has seen itself, and `newestLocations()` then returns
  /// those.
  public var judge: String?
  private let address: PostgreSQLAddress
  private let passwordFile: String?
  private var connection: PostgreSQLConnection?
  private var hasTables = false
  private var isForWriting = false
  /// Tables that were missing and have been created again.
  private var repaired: [String] = []
  /// The months whose partition this connection knows to exist.
  private var months: Set<PostgreSQLSchema.Month> = []
  /// The last search for old months, on the monotonic clock.
  private var lastDrop = -Double.infinity

  private static let dropInterval = 3600.0
  /// Seconds to wait for each answer when writing; ten times as many when reading.
  private static let patience = 30.0

  /// Stores the address of a database, without connecting.
  ///
  /// - Parameters:
  ///   - url: `postgresql://[USER[:PASSWORD]@][HOST][:PORT]/DATABASE[?PARAMETER=VALUE…]`, in libpq's syntax.
  ///   - passwordFile: A file whose first line is the password; without it libpq uses PGPASSWORD and ~/.pgpass.
  /// - Throws: `JournalError` if the text is not such a URL, or libpq is missing.
  public init(_ url: String, passwordFile: String? = nil) throws(JournalError) {
    address = try PostgreSQLAddress(url)
    name = "journal \(address.name)"
    self.passwordFile = passwordFile
  }

  /// Whether a text has the scheme of a database address.
  public static func isAddress(_ text: String) -> Bool {
    text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
  }

  /// Whether an address contains a password, which would be visible on the command line.
  public static func hasPassword(_ url: String) throws(JournalError) -> Bool {
    try PostgreSQLAddress(url).hasPassword
  }

  // MARK: Writing

  /// Writes records in one transaction. Without records it connects and creates missing tables.
  public func commit(_ records: [DeviceRecord]) throws(JournalError) {
    do throws(JournalError) {
      try write(records)
    } catch {
      // A table was dropped. A new connection creates it again.
      guard error.reason == .damaged else { throw error }
      try write(records)
    }
  }

  /// Always 0: the server keeps committed records.
  public var lost: Int { 0 }

  /// Returns the tables that were created again since the last call.
  public func takeNotices() -> [String] {
    defer { repaired = [] }
    return repaired.isEmpty ? [] : ["lacked \(repaired.joined(separator: ", ")), which is created again"]
  }

  private func write(_ records: [DeviceRecord]) throws(JournalError) {
    try use(makesTables: true) { connection throws(JournalError) in
      // Old months are dropped first, because a late location may be in a month that has just been dropped.
      try dropOldMonths(connection)
      try makeMonths(of: records, connection)
      try connection.execute("BEGIN")
      try write(records, connection)
      try connection.execute("COMMIT")
    }
  }

  private func write(_ records: [DeviceRecord], _ connection: PostgreSQLConnection) throws(JournalError) {
    var (locations, crossings) = (PostgreSQLCopy(), PostgreSQLCopy())
    for record in records {
      switch record.record {
      case .location(let location): locations.add(RecordMember.location, of: location, with: record)
      case .crossing(let crossing): crossings.add(RecordMember.crossing, of: crossing, with: record)
      case .error: break
      }
    }
    if locations.count > 0 {
      try connection.copy("COPY incomingLocations FROM STDIN (FORMAT binary)", locations.bytes)
      var statements = [
        Self.insertion(RecordMember.location, into: "locations", from: "incomingLocations"), Self.newest(),
      ]
      if let judge { statements.append(Self.newest(of: judge)) }
      try connection.execute(statements.joined(separator: "; "))
    }
    if crossings.count > 0 {
      try connection.copy("COPY incomingEvents FROM STDIN (FORMAT binary)", crossings.bytes)
      try connection.execute(
        Self.insertion(RecordMember.crossing, into: "events", from: "incomingEvents", type: "fence"))
    }
  }

  /// The tables that rows are copied into. They belong to this connection and are empty after each transaction.
  private static let incoming = """
    CREATE TEMP TABLE incomingLocations (\(incoming(RecordMember.location))) ON COMMIT DELETE ROWS;
    CREATE TEMP TABLE incomingEvents (\(incoming(RecordMember.crossing))) ON COMMIT DELETE ROWS
    """

  private static func incoming<Record>(_ members: [RecordMember<Record>]) -> String {
    (members.map(PostgreSQLColumns.definition) + [DeviceColumn.definitions]).joined(separator: ", ")
  }

  /// All writers insert in the same order, so that they cannot deadlock.
  private static func insertion<Record>(
    _ members: [RecordMember<Record>], into table: String, from incoming: String, type: String? = nil
  ) -> String {
    let names = "\(PostgreSQLColumns.names(members)), \(DeviceColumn.names)"
    return """
      INSERT INTO \(table) (\(type == nil ? "" : "type, ")\(names))
        SELECT \(type.map { "'\($0)', " } ?? "")\(names)
        FROM \(incoming) ORDER BY device, time, message ON CONFLICT DO NOTHING
      """
  }

  /// Stores the newest location of each device, for all devices or for those that a judge has seen.
  private static func newest(of judge: String? = nil) -> String {
    let table = judge == nil ? "devices" : "judged"
    let names = PostgreSQLColumns.names(RecordMember.location)
    return """
      INSERT INTO \(table) (\(judge == nil ? "" : "judge, ")\(names))
        SELECT DISTINCT ON (device) \(judge.map { literal($0) + ", " } ?? "")\(names)
        FROM incomingLocations WHERE ahead IS NOT TRUE ORDER BY device, time DESC
        ON CONFLICT (\(judge == nil ? "" : "judge, ")device) DO UPDATE SET \(RecordMember.location
        .map { "\(PostgreSQLColumns.name($0)) = excluded.\(PostgreSQLColumns.name($0))" }.joined(separator: ", "))
        WHERE excluded.time > \(table).time
      """
  }

  private static func literal(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }

  private func makeMonths(of records: [DeviceRecord], _ connection: PostgreSQLConnection) throws(JournalError) {
    var new: Set<PostgreSQLSchema.Month> = []
    for case .location(let location) in records.lazy.map(\.record) {
      if let time = location.timestamp { new.insert(PostgreSQLSchema.Month(of: time)) }
    }
    new.subtract(months)
    try PostgreSQLSchema.make(new, connection)
    months.formUnion(new)
  }

  private func dropOldMonths(_ connection: PostgreSQLConnection) throws(JournalError) {
    guard let days, monotonicSeconds() - lastDrop >= Self.dropInterval else { return }
    lastDrop = monotonicSeconds()
    do throws(JournalError) {
      try PostgreSQLSchema.drop(before: Date.now.addingTimeInterval(-86_400 * Double(days)), connection)
      months = []
    } catch {
      // Another program reads for a long time; the next attempt drops the months.
      guard error.reason == .locked else { throw error }
      try connection.execute("ROLLBACK")
    }
  }

  /// What this user may do with the tables.
  public enum Writability: Sendable, Hashable {
    /// There are no tables, and they can be created.
    case canBeMade
    /// The tables can be written for locations of any time.
    case canBeWritten
    /// Only locations in existing partitions can be written, because this user cannot create partitions.
    ///
    /// - Parameter creation: The SQL that creates the next month's partition.
    case onlyExistingMonths(creation: String)
  }

  /// Checks whether this user may do everything that a writer does. Nothing is written.
  ///
  /// - Throws: `JournalError` when the database cannot be reached, or when this user may not create or write tables.
  public func trial() throws(JournalError) -> Writability {
    let connection = try PostgreSQLConnection(address, passwordFile: passwordFile)
    guard try PostgreSQLSchema.missingTables(connection).isEmpty else {
      let mayMake = "has_schema_privilege(current_schema(), 'CREATE')"
      guard try connection.rows("SELECT \(mayMake)")[0].text(0) == "t" else {
        throw address.error(.cannotOpen, "does not let this user create tables; grant it CREATE on the schema")
      }
      return .canBeMade
    }
    let rights = try PostgreSQLRights(connection)
    if rights.isReadOnly {
      throw address.error(.readOnly, "can only be read, as it is with a standby; name the server that it follows")
    }
    guard rights.missing.isEmpty else {
      throw address.error(
        .cannotOpen, "does not let this user do what is needed; grant it \(rights.missing.joined(separator: "; "))")
    }
    _ = try PostgreSQLSchema.exists(connection)
    let lacksColumns = try !PostgreSQLSchema.additions(connection).isEmpty
    guard rights.ownsTables || !lacksColumns else {
      throw address.error(
        .cannotOpen, "lacks columns of this version, which only its owner may add; let that user write it once")
    }
    if rights.ownsTables && rights.makesTables { return .canBeWritten }
    let month = PostgreSQLSchema.Month(of: Date.now)
    guard try PostgreSQLSchema.has(month.table, connection) else {
      throw address.error(
        .cannotOpen,
        "has no partition for this month, and this user may not create one; let a user who may run: \(month.creation)")
    }
    return .onlyExistingMonths(creation: month.next.creation)
  }

  // MARK: Reading

  /// The newest location of each device, or the last one that a judge has seen, ordered by name. A new judge starts
  /// from the newest locations of all.
  public func newestLocations() throws(JournalError) -> [Location] {
    let names = PostgreSQLColumns.names(RecordMember.location)
    return try all(
      RecordMember.location, Location.unread, "SELECT \(names) FROM \(newestRows()) AS newest ORDER BY device")
  }

  /// The stored locations of each device in the given number of seconds up to its newest, or up to the last one that a
  /// judge has seen, and the last five before them, ordered by name and time.
  public func recentLocations(within seconds: Double) throws(JournalError) -> [Location] {
    // OFFSET 0 keeps PostgreSQL from looking for the start again for each location.
    let names = RecordMember.location.map { "locations.\(PostgreSQLColumns.name($0))" }.joined(separator: ", ")
    return try all(
      RecordMember.location, Location.unread,
      """
      SELECT \(names) FROM (
        SELECT device, time, coalesce((
          SELECT min(time) FROM (
            SELECT time FROM locations
            WHERE device = newest.device AND time < newest.time - \(seconds) * interval '1 second'
              AND ahead IS NOT TRUE ORDER BY time DESC LIMIT \(DeviceTables.earlierLocations)) AS earlier
        ), newest.time - \(seconds) * interval '1 second') AS start
        FROM \(newestRows()) AS newest OFFSET 0
      ) AS newest JOIN locations ON locations.device = newest.device AND locations.time BETWEEN newest.start AND newest.time
      WHERE locations.ahead IS NOT TRUE ORDER BY locations.device, locations.time, locations.message
      """)
  }

  /// The table with the newest location of each device.
  private func newestRows() throws(JournalError) -> String {
    guard let judge else { return "devices" }
    var isKnown = false
    let own = "judged WHERE judge = \(Self.literal(judge))"
    try use(makesTables: false) { connection throws(JournalError) in
      isKnown = try connection.rows("SELECT 1 FROM \(own) LIMIT 1").count > 0
    }
    return isKnown ? "(SELECT * FROM \(own))" : "devices"
  }

  private func all<Record>(
    _ members: [RecordMember<Record>], _ unread: Record, _ query: String
  ) throws(JournalError) -> [Record] {
    var records: [Record] = []
    try forEach(members, unread, query) { record in
      records.append(record)
      return true
    }
    return records
  }

  /// The last crossing of each of this program's fences by each device.
  public func lastCrossings() throws(JournalError) -> [RegionCrossing] {
    try all(
      RecordMember.crossing, RegionCrossing.unread,
      """
      SELECT DISTINCT ON (device, fence) \(PostgreSQLColumns.names(RecordMember.crossing)) FROM events
      WHERE type = 'fence' AND reported IS NOT TRUE ORDER BY device, fence, time DESC
      """)
  }

  /// Calls `body` for the locations of a device, ordered by time, as ``DeviceHistory`` describes.
  public func forEachLocation(
    of device: String, since: Date? = nil, until: Date? = nil, _ body: (Location) -> Bool
  ) throws(JournalError) {
    let times = [since.map { (">=", $0) }, until.map { ("<", $0) }].compactMap(\.self)
      .compactMap { comparison, time in PostgreSQLColumns.moment(time).map { " AND time \(comparison) \($0)" } }
    try forEach(
      RecordMember.location, Location.unread,
      """
      SELECT \(PostgreSQLColumns.names(RecordMember.location)) FROM locations
      WHERE device = $1\(times.joined()) ORDER BY time, message
      """, [device], body)
  }

  /// The number of rows read at a time.
  private static let pieceSize = 1000

  /// Reads in pieces, so that a year of a device needs no more memory than a day. The server prepares the next piece
  /// meanwhile.
  private func forEach<Record>(
    _ members: [RecordMember<Record>], _ unread: Record, _ query: String, _ parameters: [String] = [],
    _ body: (Record) -> Bool
  ) throws(JournalError) {
    try use(makesTables: false) { connection throws(JournalError) in
      try connection.execute("BEGIN READ ONLY")
      _ = try connection.rows("DECLARE found NO SCROLL CURSOR FOR \(query)", parameters)
      let next = "FETCH \(Self.pieceSize) FROM found"
      try connection.request(next)
      var goesOn = true
      var isLast = false
      while !isLast {
        let rows = try connection.requestedRows()
        isLast = rows.count < Self.pieceSize || !goesOn
        if !isLast { try connection.request(next) }
        for row in 0..<rows.count where goesOn {
          var record = unread
          if rows[row].read(members, into: &record) { goesOn = body(record) }
        }
      }
      try connection.execute("COMMIT")
    }
  }

  // MARK: The connection

  /// Runs `body` with a connection. A failure closes it, and the next call connects again.
  private func use(
    makesTables: Bool, _ body: (PostgreSQLConnection) throws(JournalError) -> Void
  ) throws(JournalError) {
    do throws(JournalError) {
      let connection = try connected(makesTables: makesTables)
      if !hasTables { return }
      try body(connection)
    } catch {
      connection = nil
      throw error
    }
  }

  private func connected(makesTables: Bool) throws(JournalError) -> PostgreSQLConnection {
    let connection: PostgreSQLConnection
    if let known = self.connection {
      connection = known
    } else {
      connection = try PostgreSQLConnection(address, passwordFile: passwordFile)
      (self.connection, months, hasTables, isForWriting) = (connection, [], false, false)
    }
    // The server has to search for a device's year, which takes longer.
    connection.patience = makesTables ? Self.patience : 10 * Self.patience
    if makesTables && !isForWriting {
      repaired += try PostgreSQLSchema.make(connection)
      try connection.execute(Self.incoming)
      (hasTables, isForWriting) = (true, true)
    } else if !hasTables {
      hasTables = try PostgreSQLSchema.exists(connection)
    }
    return connection
  }
}
