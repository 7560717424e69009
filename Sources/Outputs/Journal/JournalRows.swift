import FoundationEssentials
import LocationKit
import Records

/// The statements that read rows.
final class JournalRows {
  private let connection: Connection
  private let locations: Statement
  private let events: Statement
  private let losses: Statement
  private let following: Statement
  /// The statements that read locations, by what they read.
  private var pieces: [Piece: Statement] = [:]

  private struct Piece: Hashable {
    var detail: LocationDetail
    var isOfATime: Bool
  }

  /// A row with a location, or with the loss of the fix.
  typealias LocationRow = (sequence: Int64, location: Location?)

  private static let page = "WHERE sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?"

  init(_ connection: Connection) throws(JournalError) {
    self.connection = connection
    locations = try connection.prepare(
      """
      SELECT sequence, \(RecordColumns.names(RecordMember.location, in: "locations", of: connection))
      FROM locations \(Self.page)
      """)
    events = try connection.prepare(
      """
      SELECT sequence, type, \(RecordColumns.names(RecordMember.crossing, in: "events", of: connection)),
        \(RecordColumns.names(RecordMember.error, in: "events", of: connection))
      FROM events \(Self.page)
      """)
    following = try connection.prepare("SELECT min(sequence) FROM locations WHERE sequence > ?")
    losses = try connection.prepare(
      """
      SELECT sequence FROM events WHERE type = 'error' AND code = '\(LocationError.Code.locationUnknown.rawValue)'
        AND sequence > ? AND sequence <= ?
      """)
  }

  /// The rows of both tables after `sequence` in their order, at most `limit` of them.
  func entries(after sequence: Int64, limit: Int) throws(JournalError) -> [JournalEntry] {
    // Both statements must see the same rows, or a row committed between them could be skipped.
    try connection.execute("BEGIN")
    defer { try? connection.execute("COMMIT") }
    let locations = try read(locations, after: sequence, to: .max, limit: limit) { Self.location($0) }
    // Rows after the last location are left for the next call.
    let last = locations.count == limit ? locations.last?.sequence ?? .max : .max
    let events = try read(events, after: sequence, to: last, limit: limit) { Self.event($0) }
    guard !events.isEmpty else { return locations }
    return Array((events + locations).sorted { $0.sequence < $1.sequence }.prefix(limit))
  }

  /// The locations of the rows after `sequence`, in order, at most `limit` of them among `range` numbers, with the
  /// losses of the fix between and after them. `end` is the last number that was searched.
  func locations(
    _ detail: LocationDetail, after sequence: Int64, through last: Int64, since: Date?, until: Date?, limit: Int,
    range: Int64
  ) throws(JournalError) -> (rows: [LocationRow], end: Int64) {
    let members = detail.members
    let statement = try piece(Piece(detail: detail, isOfATime: since != nil || until != nil), members)
    statement.bind(sequence, at: 1)
    var through = last - sequence > range ? sequence + range : last
    statement.bind(through, at: 2)
    statement.bind(Int64(limit), at: 3)
    if since != nil || until != nil {
      statement.bind(since?.nanosecondsSince1970 ?? .min, at: 4)
      statement.bind(until?.nanosecondsSince1970 ?? .max, at: 5)
    }
    // Both statements must see the same rows.
    try connection.execute("BEGIN")
    defer { try? connection.execute("COMMIT") }
    var rows: [LocationRow] = []
    rows.reserveCapacity(limit)
    var count = 0
    while try statement.step() {
      count += 1
      var location = Location.unread
      let sequence = statement.integer(0) ?? through
      // Rows after the last location of a full piece are left for the next one.
      if count == limit { through = sequence }
      if statement.read(members, from: 1, into: &location) { rows.append((sequence, location)) }
    }
    if count == 0, through < last {
      // Numbers without rows are skipped at once.
      following.bind(through, at: 1)
      through = try following.first { $0.integer(0) }.map { min($0 - 1, last) } ?? last
    }
    losses.bind(sequence, at: 1)
    losses.bind(through, at: 2)
    var hasLosses = false
    while try losses.step() {
      if let sequence = losses.integer(0) { rows.append((sequence, nil)) }
      hasLosses = true
    }
    if hasLosses { rows.sort { $0.sequence < $1.sequence } }
    return (rows, through)
  }

  private func piece(_ piece: Piece, _ members: [RecordMember<Location>]) throws(JournalError) -> Statement {
    if let known = pieces[piece] { return known }
    let statement = try connection.prepare(
      """
      SELECT sequence, \(RecordColumns.names(members, in: "locations", of: connection)) FROM locations
      WHERE sequence > ?1 AND sequence <= ?2\(piece.isOfATime ? " AND time >= ?4 AND time < ?5" : "")
      ORDER BY sequence LIMIT ?3
      """)
    pieces[piece] = statement
    return statement
  }

  /// Calls `body` for the locations of a device, ordered by time, until it returns false.
  func locations(
    of device: String, since: Date?, until: Date?, _ body: (Location) -> Bool
  ) throws(JournalError) {
    // A journal that no collector has written lacks these columns and has no devices.
    guard try connection.integer("SELECT 1 FROM pragma_table_info('locations') WHERE name = 'message'") == 1 else {
      return
    }
    let statement = try connection.prepare(
      """
      SELECT sequence, \(RecordColumns.names(RecordMember.location, in: "locations", of: connection))
      FROM locations WHERE device = ? AND time >= ? AND time < ? ORDER BY time, message
      """)
    statement.bind(device, at: 1)
    statement.bind(since?.nanosecondsSince1970 ?? .min, at: 2)
    statement.bind(until?.nanosecondsSince1970 ?? .max, at: 3)
    defer { statement.reset() }
    while try statement.step() {
      guard let entry = Self.location(statement), case .location(let location) = entry.record else { continue }
      if !body(location) { return }
    }
  }

  private func read(
    _ statement: Statement, after sequence: Int64, to last: Int64, limit: Int, _ entry: (Statement) -> JournalEntry?
  ) throws(JournalError) -> [JournalEntry] {
    statement.bind(sequence, at: 1)
    statement.bind(last, at: 2)
    statement.bind(Int64(max(0, limit)), at: 3)
    var entries: [JournalEntry] = []
    while try statement.step() {
      if let entry = entry(statement) { entries.append(entry) }
    }
    return entries
  }

  static func location(_ row: Statement) -> JournalEntry? {
    var location = Location.unread
    guard let sequence = row.integer(0), row.read(RecordMember.location, from: 1, into: &location) else { return nil }
    return JournalEntry(sequence: sequence, record: .location(location))
  }

  private static func event(_ row: Statement) -> JournalEntry? {
    guard let sequence = row.integer(0) else { return nil }
    var crossing = RegionCrossing.unread
    let isCrossing = row.read(RecordMember.crossing, from: 2, into: &crossing)
    guard row.text(1) == "error" else {
      return isCrossing ? JournalEntry(sequence: sequence, record: .crossing(crossing)) : nil
    }
    var error = LocationError(.locationUnknown, "")
    guard row.read(RecordMember.error, from: 2 + Int32(RecordMember.crossing.count), into: &error) else { return nil }
    return JournalEntry(sequence: sequence, record: .error(error, crossing.location.timestamp))
  }
}

extension LocationDetail {
  private static let wayMembers = RecordMember.location.filter {
    ["time", "latitude", "longitude", "altitude", "horizontalAccuracy", "speed", "status"].contains("\($0.name)")
  }

  /// The members to read.
  fileprivate var members: [RecordMember<Location>] { self == .whole ? RecordMember.location : Self.wayMembers }
}

extension Location {
  /// The initial value to read a row into.
  static var unread: Location { Location(latitude: .nan, longitude: .nan) }
}

extension RegionCrossing {
  /// The initial value to read a row into.
  static var unread: RegionCrossing {
    RegionCrossing(
      CircularRegion(center: LocationCoordinate2D(latitude: .nan, longitude: .nan), radius: .nan, identifier: ""),
      .unknown, at: .unread)
  }
}
