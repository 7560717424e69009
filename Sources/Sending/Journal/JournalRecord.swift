public import FoundationEssentials
public import LocationKit

/// A record of a journal, in one row.
public enum JournalRecord: Sendable, Hashable {
  /// A location.
  case location(Location)
  /// The boundary of a fence was crossed.
  case crossing(RegionCrossing)
  /// The location service failed. The time is that of the last fix before, if there is one.
  case error(LocationError, Date?)

  var isError: Bool { if case .error = self { true } else { false } }

  /// The receiver's time; `nil` if it gave none.
  public var time: Date? {
    switch self {
    case .location(let location): location.timestamp
    case .crossing(let crossing): crossing.location.timestamp
    case .error(_, let time): time
    }
  }
}

/// A row of the journal.
public struct JournalEntry: Sendable, Hashable {
  /// The row's number in the journal. Numbers start at 1, grow by one and are never used again.
  public var sequence: Int64
  /// The row's record.
  public var record: JournalRecord

  /// Creates an entry.
  public init(sequence: Int64, record: JournalRecord) { (self.sequence, self.record) = (sequence, record) }
}

package struct FenceState: Sendable, Hashable {
  package var region: CircularRegion
  package var state: RegionState
  /// The time of the last fix that confirmed it.
  package var time: Date?

  package init(region: CircularRegion, state: RegionState, time: Date?) {
    (self.region, self.state, self.time) = (region, state, time)
  }
}

extension FenceState {
  /// The states in a journal, each with the newest time that confirmed it.
  static func all(_ connection: Connection) throws(JournalError) -> [FenceState] {
    // Each later location also confirms the state of a watched fence.
    let newest = try connection.integer("SELECT time FROM locations ORDER BY sequence DESC LIMIT 1")
    let rows = try connection.prepare("SELECT fence, latitude, longitude, radius, state, time FROM fences")
    return try rows.all { row in
      guard let region = CircularRegion(row), let state = row.text(4).flatMap(RegionState.init(rawValue:)) else {
        return nil
      }
      let time = [row.integer(5), newest].compactMap { $0 }.max()
      return FenceState(region: region, state: state, time: time.map { .init(nanosecondsSince1970: $0) })
    }
  }
}

extension CircularRegion {
  init?(_ row: Statement) {
    guard let name = row.text(0), let latitude = row.double(1), let longitude = row.double(2),
      let radius = row.double(3)
    else { return nil }
    self.init(center: LocationCoordinate2D(latitude: latitude, longitude: longitude), radius: radius, identifier: name)
  }
}
