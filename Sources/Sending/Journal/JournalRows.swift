import FoundationEssentials
import LocationKit
import Records

final class JournalRows {
  let connection: Connection
  private let locations: Statement
  private let events: Statement
  private let losses: Statement
  private let cursor: Statement
  private let newest: Statement
  private let fences: Statement
  private let next: Statement

  enum LocationRow {
    case location(Location)
    case loss
    case unusable(isDamaged: Bool)
  }

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
    cursor = try connection.prepare("UPDATE readers SET cursor = ?1 WHERE name = ?2")
    newest = try connection.prepare(JournalSchema.newestSequence)
    fences = try connection.prepare(JournalSchema.fenceStates)
    next = try connection.prepare("SELECT min(sequence) FROM locations WHERE sequence > ?")
    losses = try connection.prepare(
      """
      SELECT sequence FROM events WHERE sequence > ? AND sequence <= ? AND type = 'error' AND code = ?
      """)
  }

  func newestSequence() throws(JournalError) -> Int64 { try newest.first { $0.integer(0) } ?? 0 }

  /// Stores a reader's name and returns its cursor. A new reader starts at the newest row or at the oldest.
  func enter(_ name: String, _ start: JournalReader.Start) throws(JournalError) -> Int64 {
    let first = start == .newest ? "(\(JournalSchema.newestSequence))" : "0"
    let enter = try connection.prepare("INSERT OR IGNORE INTO readers (name, cursor) VALUES (?, \(first))")
    enter.bind(name, at: 1)
    try enter.run()
    return try connection.integer("SELECT cursor FROM readers WHERE name = ?", name) ?? 0
  }

  func move(_ name: String, to sequence: Int64) throws(JournalError) {
    cursor.bind(sequence, at: 1)
    cursor.bind(name, at: 2)
    try cursor.run()
  }

  func fenceStates(after sequence: Int64) throws(JournalError) -> [String: Bool] {
    fences.bind(sequence, at: 1)
    var states: [String: Bool] = [:]
    while try fences.step() {
      if let name = fences.text(0) { states[name] = fences.integer(1) == 1 }
    }
    return states
  }

  /// The times by which OwnTracks identifies fences, in seconds since 1970. Each of `fences` without a time gets one
  /// from `now` on, after all others. The first call creates the table, because most journals are not published.
  func waypointTimes(of fences: [String], now: Int) throws(JournalError) -> [String: Int] {
    try connection.execute(
      "CREATE TABLE IF NOT EXISTS waypoints (\n  fence TEXT PRIMARY KEY,\n  time INTEGER NOT NULL UNIQUE\n)")
    return try connection.transaction { () throws(JournalError) in
      let enter = try connection.prepare(
        "INSERT OR IGNORE INTO waypoints VALUES (?1, max(?2, (SELECT ifnull(max(time) + 1, 0) FROM waypoints)))")
      for fence in fences {
        enter.bind(fence, at: 1)
        enter.bind(Int64(now), at: 2)
        try enter.run()
      }
      let rows = try connection.prepare("SELECT fence, time FROM waypoints")
      var times: [String: Int] = [:]
      while try rows.step() {
        if let fence = rows.text(0), let time = rows.integer(1) { times[fence] = Int(time) }
      }
      return times
    }
  }

  func waiting(after cursor: Int64) throws(JournalError) -> JournalWaiting {
    let newest = try newestSequence()
    // Row numbers have no gaps, so no rows need to be counted.
    let oldest = try connection.integer(JournalSchema.oldestSequence)
    let gone = max(oldest ?? 1, 1) - 1
    let read = max(cursor, gone)
    guard oldest != nil, newest > read else { return JournalWaiting(count: 0, gone: gone) }
    let first = try entries(after: read, limit: 1).first
    return JournalWaiting(count: Int(newest - read), oldest: first?.record.time, gone: gone)
  }

  func entries(after sequence: Int64, limit: Int) throws(JournalError) -> [JournalEntry] {
    // Both statements must see the same rows, or a row committed between them could be skipped.
    try connection.execute("BEGIN")
    defer { try? connection.execute("COMMIT") }
    self.locations.bind(all: sequence, .max, Int64(max(0, limit)))
    let locations = try self.locations.all { Self.location($0) }
    // Rows after the last location are left for the next call.
    let last = locations.count == limit ? locations.last?.sequence ?? .max : .max
    self.events.bind(all: sequence, last, Int64(max(0, limit)))
    let events = try self.events.all { Self.event($0) }
    guard !events.isEmpty else { return locations }
    return Array((events + locations).sorted { $0.sequence < $1.sequence }.prefix(limit))
  }

  /// The locations of the rows after `sequence`, in order, at most `limit` of them among `range` numbers, with the
  /// losses of the fix between and after them. `end` is the last number that was searched.
  func locations(
    _ detail: LocationDetail, after sequence: Int64, through last: Int64, since: Date?, until: Date?, limit: Int,
    range: Int64
  ) throws(JournalError) -> (rows: [(sequence: Int64, content: LocationRow)], end: Int64) {
    let members = detail.members
    var through = last - sequence > range ? sequence + range : last
    let (start, end) = (since?.nanosecondsSince1970 ?? .min, until?.nanosecondsSince1970 ?? .max)
    let statement = try connection.prepare(
      """
      SELECT sequence, \(RecordColumns.names(members, in: "locations", of: connection)) FROM locations
      WHERE sequence > ?1 AND sequence <= ?2 \(since == nil && until == nil ? "" : "AND time >= ?4 AND time < ?5")
      ORDER BY sequence LIMIT ?3
      """)
    statement.bind(all: sequence, through, Int64(limit), start, end)
    // Both statements must see the same rows.
    try connection.execute("BEGIN")
    defer { try? connection.execute("COMMIT") }
    var rows: [(sequence: Int64, content: LocationRow)] = []
    rows.reserveCapacity(limit)
    do throws(JournalError) {
      while try statement.step() {
        var location = Location.unread
        let sequence = statement.integer(0) ?? through
        let isUsable = statement.read(members, from: 1, into: &location) && location.coordinate.isValid
        rows.append((sequence, isUsable ? .location(location) : .unusable(isDamaged: false)))
        // Rows after the last location of a full piece are left for the next one.
        if rows.count == limit { through = sequence }
      }
    } catch {
      // A damaged page ends the piece behind the last row before it.
      guard error.reason == .damaged, let last = rows.last else { throw error }
      through = last.sequence
    }
    if rows.isEmpty, through < last {
      // Numbers without rows are skipped at once.
      next.bind(through, at: 1)
      through = try next.first { $0.integer(0) }.map { min($0 - 1, last) } ?? last
    }
    losses.bind(all: sequence, through)
    losses.bind(LocationError.Code.locationUnknown.rawValue, at: 3)
    var hasLosses = false
    do throws(JournalError) {
      while try losses.step() {
        if let sequence = losses.integer(0) { rows.append((sequence, .loss)) }
        hasLosses = true
      }
    } catch {
      guard error.reason == .damaged else { throw error }
      rows.append((through, .unusable(isDamaged: true)))
    }
    if hasLosses { rows.sort { $0.sequence < $1.sequence } }
    return (rows, through)
  }

  /// The quarters of an hour since 1970 with a location among the next million row numbers after one, and the last of these
  /// numbers; `nil` without a later row.
  func quarters(after sequence: Int64) throws(JournalError) -> (quarters: [Int64], end: Int64)? {
    next.bind(sequence, at: 1)
    guard let first = try next.first({ $0.integer(0) }) else { return nil }
    let end = max(first, first &+ 1_000_000)
    let statement = try connection.prepare(
      """
      SELECT DISTINCT time / 900000000000 FROM locations
      WHERE sequence BETWEEN ? AND ? AND time IS NOT NULL
      """)
    statement.bind(all: first, end)
    return (try statement.all { $0.integer(0) }, end)
  }

  func locations(
    of device: String, since: Date?, until: Date?, onUnusable: (UnusableRow) -> Void, _ body: (Location) -> Bool
  ) throws(JournalError) {
    // A journal that no collector has written lacks these columns and has no devices.
    guard try RecordColumns.columns(of: "locations", in: connection).contains("message") else { return }
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
      if !location.coordinate.isValid {
        onUnusable(UnusableRow(number: entry.sequence, isDamaged: false))
      } else if !body(location) {
        return
      }
    }
  }

  /// A row whose place cannot be used has an invalid coordinate.
  static func location(_ row: Statement) -> JournalEntry? {
    var location = Location.unread
    guard let sequence = row.integer(0) else { return nil }
    if !row.read(RecordMember.location, from: 1, into: &location) { location.coordinate = Location.unread.coordinate }
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
    guard row.read(RecordMember.error, from: 2 + RecordMember.crossing.count, into: &error) else { return nil }
    return JournalEntry(sequence: sequence, record: .error(error, crossing.location.timestamp))
  }
}

extension LocationDetail {
  private static let wayMembers = RecordMember.location.filter {
    ["time", "latitude", "longitude", "altitude", "horizontalAccuracy", "speed", "status"].contains("\($0.name)")
  }

  fileprivate var members: [RecordMember<Location>] { self == .whole ? RecordMember.location : Self.wayMembers }
}

extension Location {
  static var unread: Location { Location(latitude: .nan, longitude: .nan) }
}

extension RegionCrossing {
  static var unread: RegionCrossing {
    RegionCrossing(
      Region(center: LocationCoordinate2D(latitude: .nan, longitude: .nan), radius: .nan, identifier: ""),
      .unknown, at: .unread)
  }
}
