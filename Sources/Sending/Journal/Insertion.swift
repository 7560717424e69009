import LocationKit
import Records

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
    location = try connection.insertion(into: "locations", ["sequence"], RecordMember.location)
    crossing = try connection.insertion(into: "events", ["sequence", "type"], RecordMember.crossing)
    error = try connection.insertion(into: "events", ["sequence", "type", "time"], RecordMember.error)
    fence = try connection.prepare("INSERT OR REPLACE INTO fences VALUES (?,?,?,?,?,?)")
    fences = try connection.prepare("SELECT fence, latitude, longitude, radius FROM fences")
    forget = try connection.prepare("DELETE FROM fences WHERE fence = ?")
    confirm = try connection.prepare("UPDATE fences SET time = ?")
  }

  func run(_ operations: [JournalOperation], after sequence: inout Int64) throws(JournalError) {
    for operation in operations {
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
  }

  /// Inserts the record of one of many devices, unless the journal has it.
  func keep(_ record: DeviceRecord, after sequence: inout Int64) throws(JournalError) {
    if try devices?.insert(record, sequence + 1) == true { sequence += 1 }
  }

  /// Stores a device's newest location, unless a newer one is stored.
  func noteNewest(_ location: Location) throws(JournalError) { try devices?.noteNewest(location) }

  private func insert(_ record: JournalRecord, _ sequence: Int64) throws(JournalError) {
    if record.time?.nanosecondsSince1970 == nil, !record.isError { untimed += 1 }
    switch record {
    case .location(let location):
      self.location.bind(sequence, at: 1)
      self.location.bind(RecordMember.location, of: location, from: 2)
      try self.location.run()
    case .crossing(let crossing):
      self.crossing.bind(sequence, at: 1)
      self.crossing.bind("fence", at: 2)
      self.crossing.bind(RecordMember.crossing, of: crossing, from: 3)
      try self.crossing.run()
      // The state is in the same transaction, so that no crossing is reported twice.
      try remember(FenceState(region: crossing.region.circle, state: crossing.state, time: crossing.location.timestamp))
    case .error(let error, let time):
      self.error.bind(sequence, at: 1)
      self.error.bind("error", at: 2)
      self.error.bind(time?.nanosecondsSince1970, at: 3)
      self.error.bind(RecordMember.error, of: error, from: 4)
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
    let gone = try fences.all { CircularRegion($0).map(regions.contains) == true ? nil : $0.text(0) }
    for name in gone {
      forget.bind(name, at: 1)
      try forget.run()
    }
  }
}

private final class DeviceInsertion {
  private let connection: Connection
  private let location: Statement
  private let crossing: Statement
  private let newest: Statement

  init(_ connection: Connection) throws(JournalError) {
    self.connection = connection
    let columns = ["message", "received", "ahead", "sequence"]
    location = try connection.insertion(into: "locations", columns, RecordMember.location, "ON CONFLICT DO NOTHING")
    crossing = try connection.insertion(
      into: "events", columns + ["type"], RecordMember.crossing, "ON CONFLICT DO NOTHING")
    let changes = RecordMember.location.map { "\($0.name) = excluded.\($0.name)" }.joined(separator: ", ")
    newest = try connection.insertion(
      into: "devices", [], RecordMember.location, "ON CONFLICT DO UPDATE SET \(changes) WHERE excluded.time >= time")
  }

  func insert(_ record: DeviceRecord, _ sequence: Int64) throws(JournalError) -> Bool {
    let statement: Statement
    switch record.record {
    case .location(let value):
      statement = location
      statement.bind(RecordMember.location, of: value, from: 5)
    case .crossing(let value):
      statement = crossing
      statement.bind("fence", at: 5)
      statement.bind(RecordMember.crossing, of: value, from: 6)
    case .error: return false
    }
    statement.bind(record.message, at: 1)
    statement.bind(record.received.nanosecondsSince1970, at: 2)
    statement.bind(record.isAhead ? Int64(1) : nil, at: 3)
    statement.bind(sequence, at: 4)
    try statement.run()
    return connection.changes > 0
  }

  func noteNewest(_ location: Location) throws(JournalError) {
    newest.bind(RecordMember.location, of: location, from: 1)
    try newest.run()
  }
}

extension Connection {
  fileprivate func insertion<Record>(
    into table: String, _ columns: [String], _ members: [RecordMember<Record>], _ conflict: String = ""
  ) throws(JournalError) -> Statement {
    let names = columns + members.map { "\($0.name)" }
    let places = repeatElement("?", count: names.count).joined(separator: ",")
    return try prepare("INSERT INTO \(table) (\(names.joined(separator: ", "))) VALUES (\(places)) \(conflict)")
  }
}
