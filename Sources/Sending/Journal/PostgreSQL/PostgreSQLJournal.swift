import FoundationEssentials
import LocationKit
import Platform
import Records

/// A journal of many devices in a PostgreSQL database. Any number of programs may write to it at the same time.
///
/// It connects at its first use, and again after each failure. Committed records are on the server's disk, as far as
/// the server is configured so. One thread at a time.
package final class PostgreSQLJournal: DeviceJournal, DeviceHistory {
  package let name: String
  /// The least number of days for which locations and crossings are kept; older months are dropped. `nil` to keep all.
  package var days: Int?
  /// The name of this program as a judge of fences; `nil` if it does not judge fences. Other programs may be ahead with
  /// a device, but a judge continues from the locations that it has seen itself, and `newestLocations()` then returns
  /// those.
  package var judge: String?
  private let address: PostgreSQLAddress
  private let passwordFile: String?
  private var connection: PostgreSQLConnection?
  private var hasTables = false
  private var isForWriting = false
  private var repaired: [String] = []
  private var months: Set<PostgreSQLSchema.Month> = []
  private var lastDrop = -Double.infinity

  private static let dropInterval = 3600.0
  /// Seconds to wait for each answer when writing; ten times as many when reading.
  private static let patience = 30.0

  /// Stores the address of a database, without connecting.
  ///
  /// - Parameters:
  ///   - url: `postgresql://[USER[:PASSWORD]@][HOST][:PORT]/DATABASE[?PARAMETER=VALUE…]`, in libpq's syntax.
  ///   - passwordFile: A file whose first line is the password; without it libpq uses PGPASSWORD and ~/.pgpass.
  package init(_ url: String, passwordFile: String? = nil) throws(JournalError) {
    address = try PostgreSQLAddress(url)
    name = "journal \(address.name)"
    self.passwordFile = passwordFile
  }

  package static func isAddress(_ text: String) -> Bool {
    text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
  }

  /// Whether an address contains a password, which would be visible on the command line.
  package static func hasPassword(_ url: String) throws(JournalError) -> Bool { try PostgreSQLAddress(url).hasPassword }

  // MARK: Writing

  package func commit(_ records: [DeviceRecord]) throws(JournalError) {
    do throws(JournalError) {
      try write(records)
    } catch {
      // A table was dropped. A new connection creates it again.
      guard error.reason == .damaged else { throw error }
      try write(records)
    }
  }

  package func takeNotices() -> [String] {
    defer { repaired = [] }
    return repaired.isEmpty ? [] : ["lacked \(repaired.joined(separator: ", ")), which is created again"]
  }

  private func write(_ records: [DeviceRecord]) throws(JournalError) {
    try use(makesTables: true) { connection throws(JournalError) in
      // Old months are dropped first, because a late location may be in a month that has just been dropped.
      try dropOldMonths(connection)
      try makeMonths(of: records, connection)
      try connection.transaction { () throws(JournalError) in try write(records, connection) }
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
      try connection.execute(
        "\(Self.insertion(RecordMember.location, into: "locations", from: "incomingLocations")); \(Self.newest())")
      if let judge { _ = try connection.rows(Self.newest(hasJudge: true), [judge]) }
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

  /// Stores the newest location of each device, for all devices or for those that the judge $1 has seen. Of several of one
  /// time it is the last one, as for a judge.
  private static func newest(hasJudge: Bool = false) -> String {
    let table = hasJudge ? "judged" : "devices"
    let names = PostgreSQLColumns.names(RecordMember.location)
    return """
      INSERT INTO \(table) (\(hasJudge ? "judge, " : "")\(names))
        SELECT DISTINCT ON (device) \(hasJudge ? "$1::text, " : "")\(names)
        FROM incomingLocations WHERE ahead IS NOT TRUE ORDER BY device, time DESC, ctid DESC
        ON CONFLICT (\(hasJudge ? "judge, " : "")device) DO UPDATE SET \(RecordMember.location
        .map { "\(PostgreSQLColumns.name($0)) = excluded.\(PostgreSQLColumns.name($0))" }.joined(separator: ", "))
        WHERE excluded.time >= \(table).time
      """
  }

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

  /// Writes a record of each kind as `commit` does, and rolls that back. Missing tables are created and rolled back, too.
  ///
  /// - Returns: The SQL that creates the next month's partition, if this user may not create it; else `nil`.
  package func trial() throws(JournalError) -> String? {
    let connection = try PostgreSQLConnection(address, passwordFile: passwordFile)
    try connection.beginTrial()
    _ = try PostgreSQLSchema.make(connection)
    try connection.execute(Self.incoming)
    var location = Location(latitude: 0, longitude: 0)
    location.timestamp = .now
    location.sourceInformation = LocationSourceInformation(deviceIdentifier: "rxlocationd doctor")
    let fence = Region(center: location.coordinate, radius: 1, identifier: "trial")
    let records = [JournalRecord.location(location), .crossing(RegionCrossing(fence, .inside, at: location))]
      .map { DeviceRecord($0, message: 0, received: .now) }
    let month = PostgreSQLSchema.Month(of: .now)
    try PostgreSQLSchema.make([month], connection)
    try write(records, connection)
    do throws(JournalError) {
      try PostgreSQLSchema.make([month.next], connection)
      return nil
    } catch {
      guard error.reason == .cannotOpen else { throw error }
      return month.next.creation
    }
  }

  // MARK: Reading

  package func newestLocations() throws(JournalError) -> [Location] {
    let names = PostgreSQLColumns.names(RecordMember.location)
    return try all(
      RecordMember.location, Location.unread,
      "SELECT \(names) FROM \(newestRows(judgedBy: "$1")) AS newest ORDER BY device",
      [judge].compactMap(\.self))
  }

  package func recentLocations(within seconds: Double) throws(JournalError) -> [Location] {
    // OFFSET 0 keeps PostgreSQL from looking for the start again for each location.
    let names = RecordMember.location.map { "locations.\(PostgreSQLColumns.name($0))" }.joined(separator: ", ")
    return try all(
      RecordMember.location, Location.unread,
      """
      SELECT \(names) FROM (
        SELECT device, time, coalesce((
          SELECT min(time) FROM (
            SELECT time FROM locations
            WHERE device = newest.device AND time < newest.time - $1::float8 * interval '1 second'
              AND ahead IS NOT TRUE ORDER BY time DESC LIMIT \(DeviceTables.earlierLocations)) AS earlier
        ), newest.time - $1::float8 * interval '1 second') AS start
        FROM \(newestRows(judgedBy: "$2")) AS newest OFFSET 0
      ) AS newest JOIN locations ON locations.device = newest.device AND locations.time BETWEEN newest.start AND newest.time
      WHERE locations.ahead IS NOT TRUE ORDER BY locations.device, locations.time, locations.message
      """, ["\(seconds)"] + [judge].compactMap(\.self))
  }

  /// The newest location of each device, or the last one that the judge has seen, who is this parameter of the statement. A
  /// new judge has the newest locations of all.
  private func newestRows(judgedBy parameter: String) -> String {
    guard judge != nil else { return "devices" }
    let names = PostgreSQLColumns.names(RecordMember.location)
    return """
      (SELECT \(names) FROM judged WHERE judge = \(parameter) UNION ALL
        SELECT \(names) FROM devices WHERE NOT EXISTS (SELECT 1 FROM judged WHERE judge = \(parameter)))
      """
  }

  private func all<Record>(
    _ members: [RecordMember<Record>], _ unread: Record, _ query: String, _ parameters: [String] = []
  ) throws(JournalError) -> [Record] {
    var records: [Record] = []
    try forEach(members, unread, query, parameters) { record in
      records.append(record)
      return true
    }
    return records
  }

  package func lastCrossings() throws(JournalError) -> [RegionCrossing] {
    try all(
      RecordMember.crossing, RegionCrossing.unread,
      """
      SELECT DISTINCT ON (device, fence) \(PostgreSQLColumns.names(RecordMember.crossing)) FROM events
      WHERE type = 'fence' AND reported IS NOT TRUE ORDER BY device, fence, time DESC
      """)
  }

  package func forEachLocation(
    of device: String, since: Date? = nil, until: Date? = nil, onUnusable: (UnusableRow) -> Void = { _ in },
    _ body: (Location) -> Bool
  ) throws(JournalError) {
    var (parameters, times) = ([device], "")
    for (comparison, time) in [(">=", since), ("<", until)] {
      guard let time = time?.microsecondsSince2000 else { continue }
      parameters.append("\(time)")
      times += " AND time \(comparison) \(PostgreSQLColumns.time("$\(parameters.count)"))"
    }
    try forEach(
      RecordMember.location, Location.unread,
      """
      SELECT \(PostgreSQLColumns.names(RecordMember.location)) FROM locations
      WHERE device = $1\(times) ORDER BY time, message
      """, parameters
    ) { location in
      if location.coordinate.isValid { return body(location) }
      onUnusable(UnusableRow(number: 0, isDamaged: false))
      return true
    }
  }

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
