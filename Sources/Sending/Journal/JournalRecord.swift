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
  public init(sequence: Int64, record: JournalRecord) {
    (self.sequence, self.record) = (sequence, record)
  }
}
