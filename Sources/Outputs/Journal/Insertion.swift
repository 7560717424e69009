import LocationKit
import Records

/// The statements that write rows.
final class Insertion {
  private let location: Statement
  private let crossing: Statement
  private let error: Statement
  private let fence: Statement
  private let fences: Statement
  private let forget: Statement
  private let confirm: Statement
  private let devices: DeviceInsertion?
  /// The number of locations and crossings written without a time since this was last set to 0.
  var untimed = 0

  init(_ connection: Connection, isForDevices: Bool) throws(JournalError) {
    devices = isForDevices ? try DeviceInsertion(connection) : nil
    location = try connection.prepare(
      """
      INSERT INTO locations (sequence, \(RecordColumns.names(RecordMember.location)))
        VALUES (?,\(RecordColumns.places(RecordMember.location.count)))
      """)
    crossing = try connection.prepare(
      """
      INSERT INTO events (sequence, type, \(RecordColumns.names(RecordMember.crossing)))
        VALUES (?,'fence',\(RecordColumns.places(RecordMember.crossing.count)))
      """)
    error = try connection.prepare(
      """
      INSERT INTO events (sequence, type, time, \(RecordColumns.names(RecordMember.error)))
        VALUES (?,'error',?,\(RecordColumns.places(RecordMember.error.count)))
      """)
    fence = try connection.prepare("INSERT OR REPLACE INTO fences VALUES (?,?,?,?,?,?)")
    fences = try connection.prepare("SELECT fence, latitude, longitude, radius FROM fences")
    forget = try connection.prepare("DELETE FROM fences WHERE fence = ?")
    confirm = try connection.prepare("UPDATE fences SET time = ?")
  }

  /// Runs an operation; a new row gets the number after `sequence`.
  func run(_ operation: JournalOperation, after sequence: inout Int64) throws(JournalError) {
    switch operation {
    case .insert(let record):
      sequence += 1
      try insert(record, sequence)
    case .remember(let state): try remember(state)
    case .keepFences(let regions): try keep(regions)
    case .confirmFences(let time):
      confirm.bind(time.nanosecondsSince1970, at: 1)
      try confirm.run()
    case .keep(let record): if try devices?.insert(record, sequence + 1) == true { sequence += 1 }
    case .noteNewest(let location): try devices?.noteNewest(location)
    }
  }

  private func insert(_ record: JournalRecord, _ sequence: Int64) throws(JournalError) {
    switch record {
    case .location(let location):
      if location.timestamp?.nanosecondsSince1970 == nil { untimed += 1 }
      self.location.bind(sequence, at: 1)
      self.location.bind(RecordMember.location, of: location, from: 2)
      try self.location.run()
    case .crossing(let crossing):
      if crossing.location.timestamp?.nanosecondsSince1970 == nil { untimed += 1 }
      self.crossing.bind(sequence, at: 1)
      self.crossing.bind(RecordMember.crossing, of: crossing, from: 2)
      try self.crossing.run()
      // The state is in the same transaction, so that no crossing is reported twice.
      try remember(FenceState(region: crossing.region, state: crossing.state, time: crossing.location.timestamp))
    case .error(let error, let time):
      self.error.bind(sequence, at: 1)
      self.error.bind(time?.nanosecondsSince1970, at: 2)
      self.error.bind(RecordMember.error, of: error, from: 3)
      try self.error.run()
    }
  }

  private func remember(_ state: FenceState) throws(JournalError) {
    fence.bind(state.region.identifier, at: 1)
    fence.bind(state.region.center.latitude, at: 2)
    fence.bind(state.region.center.longitude, at: 3)
    fence.bind(state.region.radius, at: 4)
    fence.bind(state.state.rawValue, at: 5)
    fence.bind(state.time?.nanosecondsSince1970, at: 6)
    try fence.run()
  }

  private func keep(_ regions: Set<CircularRegion>) throws(JournalError) {
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
