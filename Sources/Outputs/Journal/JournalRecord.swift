public import FoundationEssentials
public import LocationKit

/// What a journal keeps, one row each.
public enum JournalRecord: Sendable, Hashable {
  /// A location.
  case location(Location)
  /// The boundary of a fence was crossed.
  case crossing(RegionCrossing)
  /// The location service failed; with the time of the last fix before it, when there is one.
  case error(LocationError, Date?)

  /// The receiver's time; `nil` when it gave none.
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
  /// The row's place among all rows of the journal. It starts at 1, grows by one from row to row and is never used again.
  public var sequence: Int64
  /// What the row holds.
  public var record: JournalRecord

  /// Creates an entry.
  public init(sequence: Int64, record: JournalRecord) {
    self.sequence = sequence
    self.record = record
  }
}
