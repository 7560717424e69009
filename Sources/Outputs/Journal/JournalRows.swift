import FoundationEssentials
import LocationKit

/// The statements that read rows.
final class JournalRows {
  private let locations: Statement
  private let events: Statement
  private let begin: Statement
  private let end: Statement

  private static let columns = """
    sequence, time, latitude, longitude, altitude, ellipsoidalAltitude, horizontalAccuracy, verticalAccuracy, course,
    courseAccuracy, speed, speedAccuracy, climb, mode, satellites, satellitesSeen, source, simulated
    """

  init(_ connection: Connection) throws(SQLiteError) {
    begin = try connection.prepare("BEGIN")
    end = try connection.prepare("COMMIT")
    locations = try connection.prepare(
      "SELECT \(Self.columns) FROM locations WHERE sequence > ? ORDER BY sequence LIMIT ?")
    events = try connection.prepare(
      """
      SELECT sequence, type, time, fence, event, latitude, longitude, horizontalAccuracy, centerLatitude,
        centerLongitude, radius, code, message
      FROM events WHERE sequence > ? ORDER BY sequence LIMIT ?
      """)
  }

  /// The rows of both tables after `sequence` in their order, at most `limit` of them.
  func entries(after sequence: Int64, limit: Int) throws(SQLiteError) -> [JournalEntry] {
    // Both statements must see the same rows, or one that is committed between them could be passed over.
    try begin.run()
    defer { try? end.run() }
    let events = try read(events, after: sequence, limit: limit) { Self.event($0) }
    let locations = try read(locations, after: sequence, limit: limit) { Self.location($0) }
    guard !events.isEmpty else { return locations }
    return Array((events + locations).sorted { $0.sequence < $1.sequence }.prefix(limit))
  }

  private func read(
    _ statement: Statement, after sequence: Int64, limit: Int, _ entry: (Statement) -> JournalEntry?
  ) throws(SQLiteError) -> [JournalEntry] {
    statement.bind(sequence, at: 1)
    statement.bind(Int64(max(0, limit)), at: 2)
    var entries: [JournalEntry] = []
    while try statement.step() {
      if let entry = entry(statement) { entries.append(entry) }
    }
    return entries
  }

  private static func location(_ row: Statement) -> JournalEntry? {
    guard let sequence = row.integer(0), let latitude = row.double(2), let longitude = row.double(3) else { return nil }
    var location = Location(latitude: latitude, longitude: longitude)
    location.timestamp = row.integer(1).map { Date(nanosecondsSince1970: $0) }
    location.altitude = row.double(4)
    location.ellipsoidalAltitude = row.double(5)
    location.horizontalAccuracy = row.double(6)
    location.verticalAccuracy = row.double(7)
    location.course = row.double(8)
    location.courseAccuracy = row.double(9)
    location.speed = row.double(10)
    location.speedAccuracy = row.double(11)
    location.climb = row.double(12)
    location.mode = row.integer(13) == 3 ? .threeDimensional : .twoDimensional
    location.satellitesUsed = row.integer(14).map { Int($0) }
    location.satellitesSeen = row.integer(15).map { Int($0) }
    location.sourceInformation = row.integer(17).map {
      LocationSourceInformation(device: row.text(16), isSimulatedBySoftware: $0 != 0)
    }
    return JournalEntry(sequence: sequence, record: .location(location))
  }

  private static func event(_ row: Statement) -> JournalEntry? {
    guard let sequence = row.integer(0) else { return nil }
    let time = row.integer(2).map { Date(nanosecondsSince1970: $0) }
    if row.text(1) == "error" {
      guard let code = row.text(11).flatMap(LocationError.Code.init(rawValue:)) else { return nil }
      return JournalEntry(sequence: sequence, record: .error(LocationError(code, row.text(12) ?? ""), time))
    }
    guard let name = row.text(3), let event = row.text(4).flatMap(FenceCrossing.Event.init(rawValue:)),
      let latitude = row.double(5), let longitude = row.double(6), let centerLatitude = row.double(8),
      let centerLongitude = row.double(9), let radius = row.double(10)
    else { return nil }
    let region = CircularRegion(
      center: LocationCoordinate2D(latitude: centerLatitude, longitude: centerLongitude), radius: radius,
      identifier: name)
    return JournalEntry(
      sequence: sequence,
      record: .crossing(
        FenceCrossing(
          region: region, event: event, coordinate: LocationCoordinate2D(latitude: latitude, longitude: longitude),
          horizontalAccuracy: row.double(7), time: time)))
  }
}
