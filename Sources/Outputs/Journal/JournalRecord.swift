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

/// On which side of a fence the receiver was when the journal last knew.
public struct FenceState: Sendable, Hashable {
  /// The fence.
  public var region: CircularRegion
  /// `inside` or `outside`.
  public var state: RegionState
  /// The time of the last fix of which that is known.
  public var time: Date?

  /// Creates a state.
  public init(region: CircularRegion, state: RegionState, time: Date?) {
    self.region = region
    self.state = state
    self.time = time
  }
}

extension Date {
  /// Nanoseconds since 1970-01-01 UTC; `nil` outside the years 1678 to 2261, which 64 bits hold.
  var nanosecondsSince1970: Int64? {
    // Seconds and fraction apart, because their product would not keep nanoseconds.
    let seconds = timeIntervalSinceReferenceDate
    guard abs(seconds) < 8e9 else { return nil }
    let whole = seconds.rounded(.down)
    let nanoseconds = ((seconds - whole) * 1e9).rounded()
    return (Int64(whole) + Int64(Date.timeIntervalBetween1970AndReferenceDate)) * 1_000_000_000 + Int64(nanoseconds)
  }

  init(nanosecondsSince1970 nanoseconds: Int64) {
    let (seconds, fraction) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let offset = seconds - Int64(Date.timeIntervalBetween1970AndReferenceDate)
    self.init(timeIntervalSinceReferenceDate: Double(offset) + Double(fraction) / 1e9)
  }
}
