import LocationKit

/// The statements that write rows.
final class Insertion {
  private let location: Statement
  private let event: Statement
  private let fence: Statement
  private let fences: Statement
  private let forget: Statement
  private let confirm: Statement

  init(_ connection: Connection) throws(SQLiteError) {
    location = try connection.prepare("INSERT INTO locations VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
    event = try connection.prepare("INSERT INTO events VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)")
    fence = try connection.prepare("INSERT OR REPLACE INTO fences VALUES (?,?,?,?,?,?)")
    fences = try connection.prepare("SELECT fence, latitude, longitude, radius FROM fences")
    forget = try connection.prepare("DELETE FROM fences WHERE fence = ?")
    confirm = try connection.prepare("UPDATE fences SET time = ?")
  }

  /// Runs an operation; one that makes a row gives it the number after `sequence`.
  func run(_ operation: JournalOperation, after sequence: inout Int64) throws(SQLiteError) {
    switch operation {
    case .insert(let record):
      sequence += 1
      try insert(record, sequence)
    case .remember(let state): try remember(state)
    case .keepFences(let regions): try keep(regions)
    case .confirmFences(let time):
      confirm.bind(time.nanosecondsSince1970, at: 1)
      try confirm.run()
    }
  }

  private func insert(_ record: JournalRecord, _ sequence: Int64) throws(SQLiteError) {
    switch record {
    case .location(let location): try insert(location, sequence)
    case .crossing(let crossing): try insert(crossing, sequence)
    case .error(let error, let time):
      event.bind(sequence, at: 1)
      event.bind("error", at: 2)
      event.bind(time?.nanosecondsSince1970, at: 3)
      for column: Int32 in 4...11 { event.bind(nil as Double?, at: column) }
      event.bind(error.code.rawValue, at: 12)
      event.bind(error.message, at: 13)
      try event.run()
    }
  }

  private func insert(_ fix: Location, _ sequence: Int64) throws(SQLiteError) {
    location.bind(sequence, at: 1)
    location.bind(fix.timestamp?.nanosecondsSince1970, at: 2)
    location.bind(fix.coordinate.latitude, at: 3)
    location.bind(fix.coordinate.longitude, at: 4)
    location.bind(fix.altitude, at: 5)
    location.bind(fix.ellipsoidalAltitude, at: 6)
    location.bind(fix.horizontalAccuracy, at: 7)
    location.bind(fix.verticalAccuracy, at: 8)
    location.bind(fix.course, at: 9)
    location.bind(fix.courseAccuracy, at: 10)
    location.bind(fix.speed, at: 11)
    location.bind(fix.speedAccuracy, at: 12)
    location.bind(fix.climb, at: 13)
    location.bind(Int64(fix.mode.rawValue), at: 14)
    location.bind(fix.satellitesUsed.map(Int64.init), at: 15)
    location.bind(fix.satellitesSeen.map(Int64.init), at: 16)
    location.bind(fix.sourceInformation?.device, at: 17)
    location.bind(fix.sourceInformation.map { $0.isSimulatedBySoftware ? Int64(1) : 0 }, at: 18)
    try location.run()
  }

  private func insert(_ crossing: FenceCrossing, _ sequence: Int64) throws(SQLiteError) {
    let region = crossing.region
    event.bind(sequence, at: 1)
    event.bind("fence", at: 2)
    event.bind(crossing.time?.nanosecondsSince1970, at: 3)
    event.bind(region.identifier, at: 4)
    event.bind(crossing.event.rawValue, at: 5)
    event.bind(crossing.coordinate.latitude, at: 6)
    event.bind(crossing.coordinate.longitude, at: 7)
    event.bind(crossing.horizontalAccuracy, at: 8)
    event.bind(region.center.latitude, at: 9)
    event.bind(region.center.longitude, at: 10)
    event.bind(region.radius, at: 11)
    event.bind(nil as String?, at: 12)
    event.bind(nil as String?, at: 13)
    try event.run()
    // In the same transaction, so that no crossing is reported twice.
    try remember(FenceState(region: region, state: crossing.event == .enter ? .inside : .outside, time: crossing.time))
  }

  private func remember(_ state: FenceState) throws(SQLiteError) {
    fence.bind(state.region.identifier, at: 1)
    fence.bind(state.region.center.latitude, at: 2)
    fence.bind(state.region.center.longitude, at: 3)
    fence.bind(state.region.radius, at: 4)
    fence.bind(state.state.rawValue, at: 5)
    fence.bind(state.time?.nanosecondsSince1970, at: 6)
    try fence.run()
  }

  private func keep(_ regions: Set<CircularRegion>) throws(SQLiteError) {
    let circles = Set(regions.map(Circle.init))
    var gone: [String] = []
    while try fences.step() {
      if let name = fences.text(0), Circle(fences).map(circles.contains) != true { gone.append(name) }
    }
    for name in gone {
      forget.bind(name, at: 1)
      try forget.run()
    }
  }
}

/// What makes a fence the same: its name and where it is.
private struct Circle: Hashable {
  let name: String
  let latitude, longitude, radius: Double

  init(_ region: CircularRegion) {
    (name, latitude, longitude, radius) = (
      region.identifier, region.center.latitude, region.center.longitude, region.radius
    )
  }

  init?(_ row: Statement) {
    guard let name = row.text(0), let latitude = row.double(1), let longitude = row.double(2),
      let radius = row.double(3)
    else { return nil }
    (self.name, self.latitude, self.longitude, self.radius) = (name, latitude, longitude, radius)
  }
}

/// What the table of fences holds.
enum FenceTable {
  /// The states, each with the newest time at which it is known to have held.
  static func states(_ connection: Connection) throws(SQLiteError) -> [FenceState] {
    // A fence that was watched had each of the locations since.
    let newest = try connection.integer("SELECT time FROM locations ORDER BY sequence DESC LIMIT 1")
    let rows = try connection.prepare("SELECT fence, latitude, longitude, radius, state, time FROM fences")
    var states: [FenceState] = []
    while try rows.step() {
      guard let circle = Circle(rows), let state = rows.text(4).flatMap(RegionState.init(rawValue:)) else { continue }
      let time = [rows.integer(5), newest].compactMap { $0 }.max()
      let region = CircularRegion(
        center: LocationCoordinate2D(latitude: circle.latitude, longitude: circle.longitude), radius: circle.radius,
        identifier: circle.name)
      states.append(FenceState(region: region, state: state, time: time.map { .init(nanosecondsSince1970: $0) }))
    }
    return states
  }
}
