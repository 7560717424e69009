public import FoundationEssentials
public import LocationKit
import Platform
import Records

/// A journal of many devices in a PostgreSQL database, which any number of programs may write at a time.
///
/// It connects when it is used first, and again after each failure. What was committed is on the server's disk, as that is set
/// up. One thread at a time.
public final class PostgreSQLJournal: DeviceJournal, DeviceHistory {
  /// What a person calls it; without a password.
  public let name: String
  /// How many days locations and crossings are kept at least; older months go. `nil` to keep all.
  public var days: Int?
  /// Who this is when it judges fences; `nil` when it does not. Others may be further with a device, and what a judge goes on
  /// with is what it has seen itself: `newestLocations()` has that then.
  public var judge: String?
  private let address: PostgreSQLAddress
  private let passwordFile: String?
  private var connection: PostgreSQLConnection?
  private var hasTables = false
  private var isForWriting = false
  /// Tables that were missing and have been made again.
  private var mended: [String] = []
  /// The months of which this connection knows that there is a part.
  private var months: Set<PostgreSQLSchema.Month> = []
  /// When old months were looked for, on the monotonic clock.
  private var lastDrop = -Double.infinity

  private static let dropInterval = 3600.0
  /// Seconds that the server gets for each answer when something is written; ten times as many when it is read.
  private static let patience = 30.0

  /// Takes the address of a database, without connecting.
  ///
  /// - Parameters:
  ///   - url: `postgresql://[USER[:PASSWORD]@][HOST][:PORT]/DATABASE[?PARAMETER=VALUE…]`, as libpq has it.
  ///   - passwordFile: A file of which the first line is the password; without one there are PGPASSWORD and ~/.pgpass.
  /// - Throws: `JournalError` when the URL is none, or when there is no libpq.
  public init(_ url: String, passwordFile: String? = nil) throws(JournalError) {
    address = try PostgreSQLAddress(url)
    name = "journal \(address.name)"
    self.passwordFile = passwordFile
  }

  /// Whether a text is meant as an address of a database.
  public static func isAddress(_ text: String) -> Bool {
    text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
  }

  /// Whether an address has a password, which whoever sees the command line sees, too.
  public static func hasPassword(_ url: String) throws(JournalError) -> Bool {
    try PostgreSQLAddress(url).hasPassword
  }

  // MARK: Writing

  /// Writes records in one transaction. Without records it connects and makes missing tables.
  public func commit(_ records: [DeviceRecord]) throws(JournalError) {
    do throws(JournalError) {
      try write(records)
    } catch {
      // A table was dropped. A new connection makes it again.
      guard error.reason == .damaged else { throw error }
      try write(records)
    }
  }

  /// None: the server keeps what it has committed.
  public var lost: Int { 0 }

  /// The tables that were missing and have been made again since this was asked last.
  public func takeNotices() -> [String] {
    defer { mended = [] }
    return mended.isEmpty ? [] : ["lacked \(mended.joined(separator: ", ")), which is made again"]
  }

  private func write(_ records: [DeviceRecord]) throws(JournalError) {
    try use(makesTables: true) { connection throws(JournalError) in
      // Before months are made: a late location may be in one that has just gone.
      try dropOldMonths(connection)
      try makeMonths(of: records, connection)
      try connection.execute("BEGIN")
      try write(records, connection)
      try connection.execute("COMMIT")
    }
  }

  private func write(_ records: [DeviceRecord], _ connection: PostgreSQLConnection) throws(JournalError) {
    let (locations, crossings) = Self.rows(of: records)
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

  private static func rows(of records: [DeviceRecord]) -> (locations: PostgreSQLCopy, crossings: PostgreSQLCopy) {
    var (locations, crossings) = (PostgreSQLCopy(), PostgreSQLCopy())
    for record in records {
      switch record.record {
      case .location(let location): locations.add(RecordMember.location, of: location, with: record)
      case .crossing(let crossing): crossings.add(RecordMember.crossing, of: crossing, with: record)
      case .error: break
      }
    }
    return (locations, crossings)
  }

  /// The tables that rows are copied into. They are this connection's own, and empty after each transaction.
  private static let incoming = """
    CREATE TEMP TABLE incomingLocations (\(incoming(RecordMember.location))) ON COMMIT DELETE ROWS;
    CREATE TEMP TABLE incomingEvents (\(incoming(RecordMember.crossing))) ON COMMIT DELETE ROWS
    """

  private static func incoming<Record>(_ members: [RecordMember<Record>]) -> String {
    (PostgreSQLColumns.definitions(members) + [DeviceColumn.definitions]).joined(separator: ", ")
  }

  /// In one order for all writers, so that none waits for another that waits for it.
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

  /// Notes the newest location of each device, of all or of those that a judge has seen.
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
      // Somebody reads for long; they go another time.
      guard error.reason == .locked else { throw error }
      try connection.execute("ROLLBACK")
    }
  }

  /// What this user can do with the tables.
  public enum Writability: Sendable, Hashable {
    /// There are none, and they can be made.
    case canBeMade
    /// They can be written, whatever the time of a location is.
    case canBeWritten
    /// They can be written as far as there are parts for the months of the locations, for this user can make none.
    ///
    /// - Parameter making: SQL that makes the next month's part.
    case onlyMonthsThatAreThere(making: String)
  }

  /// Whether this user can do all that a writer does. Nothing is written.
  ///
  /// - Throws: `JournalError` when the database cannot be reached, or when this user may not make or write tables.
  public func tryWriting() throws(JournalError) -> Writability {
    let connection = try PostgreSQLConnection(address, passwordFile: passwordFile)
    guard try PostgreSQLSchema.missingTables(connection).isEmpty else {
      let mayMake = "has_schema_privilege(current_schema(), 'CREATE')"
      guard try connection.rows("SELECT \(mayMake)").text(0, 0) == "t" else {
        throw address.error(.cannotOpen, "does not let this user make tables; grant it CREATE on the schema")
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
    _ = try PostgreSQLSchema.isThere(connection, address)
    let lacksColumns = try !PostgreSQLSchema.additions(connection).isEmpty
    guard rights.ownsTables || !lacksColumns else {
      throw address.error(
        .cannotOpen, "lacks columns of this version, which only its owner may add; let that user write it once")
    }
    if rights.ownsTables && rights.makesTables { return .canBeWritten }
    let month = PostgreSQLSchema.Month(of: Date.now)
    guard try PostgreSQLSchema.has(month.table, connection) else {
      throw address.error(
        .cannotOpen, "has no part for this month, and this user may not make it; let somebody who may: \(month.making)")
    }
    return .onlyMonthsThatAreThere(making: month.next.making)
  }

  // MARK: Reading

  /// The newest location of each device, or what a judge has seen last, in the order of their names. A judge that is new goes
  /// on where others are.
  public func newestLocations() throws(JournalError) -> [Location] {
    let names = PostgreSQLColumns.names(RecordMember.location)
    return try locations("SELECT \(names) FROM \(try newestRows()) AS newest ORDER BY device")
  }

  /// Of each device, or of what a judge has seen of it, the locations of so many seconds up to the newest, as far as they are
  /// kept, in the order of names and times.
  public func recentLocations(within seconds: Double) throws(JournalError) -> [Location] {
    let names = RecordMember.location.map { "locations.\(PostgreSQLColumns.name($0))" }.joined(separator: ", ")
    return try locations(
      """
      SELECT \(names) FROM \(try newestRows()) AS newest JOIN locations ON locations.device = newest.device
        AND locations.time BETWEEN newest.time - \(seconds) * interval '1 second' AND newest.time
      WHERE locations.ahead IS NOT TRUE ORDER BY locations.device, locations.time, locations.message
      """)
  }

  /// The rows that have the newest location of each device.
  private func newestRows() throws(JournalError) -> String {
    guard let judge else { return "devices" }
    var isKnown = false
    let own = "judged WHERE judge = \(Self.literal(judge))"
    try use(makesTables: false) { connection throws(JournalError) in
      isKnown = try connection.rows("SELECT 1 FROM \(own) LIMIT 1").count > 0
    }
    return isKnown ? "(SELECT * FROM \(own))" : "devices"
  }

  private func locations(_ query: String) throws(JournalError) -> [Location] {
    var locations: [Location] = []
    try forEach(RecordMember.location, Location.unread, query) { location in
      locations.append(location)
      return true
    }
    return locations
  }

  /// The last crossing of each fence of this program by each device.
  public func lastCrossings() throws(JournalError) -> [RegionCrossing] {
    var crossings: [RegionCrossing] = []
    try forEach(
      RecordMember.crossing, RegionCrossing.unread,
      """
      SELECT DISTINCT ON (device, fence) \(PostgreSQLColumns.names(RecordMember.crossing)) FROM events
      WHERE type = 'fence' AND reported IS NOT TRUE ORDER BY device, fence, time DESC
      """
    ) { crossing in
      crossings.append(crossing)
      return true
    }
    return crossings
  }

  /// Calls `body` for the locations of a device, in the order of their times.
  ///
  /// - Parameters:
  ///   - device: Which.
  ///   - since: The earliest time of a location.
  ///   - until: The time before which locations are.
  ///   - body: Returns whether to go on.
  /// - Throws: `JournalError`; `body` has had everything that was read before.
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

  /// How many rows are read at a time.
  private static let pieceSize = 1000

  /// Reads in pieces, so that a year of a device needs no more memory than a day. The server looks for the next one meanwhile.
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
          if PostgreSQLColumns.read(members, of: row, in: rows, into: &record) { goesOn = body(record) }
        }
      }
      try connection.execute("COMMIT")
    }
  }

  // MARK: The connection

  /// Runs `body` with a connection. After a failure there is none, and the next call connects anew.
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
    // A year of a device has to be looked for.
    connection.patience = makesTables ? Self.patience : 10 * Self.patience
    if makesTables && !isForWriting {
      mended += try PostgreSQLSchema.make(connection, address)
      try connection.execute(Self.incoming)
      (hasTables, isForWriting) = (true, true)
    } else if !hasTables {
      hasTables = try PostgreSQLSchema.isThere(connection, address)
    }
    return connection
  }
}
