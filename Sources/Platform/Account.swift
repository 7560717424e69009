/// The fate of the records that an output was given.
///
/// Only acceptance, writing and dropping are counted, so accepted = written + dropped + waiting at all times. The output's
/// exit status, summary, metrics and the words "nothing was lost" come from its account.
public struct Account: Sendable, Hashable {
  /// Why records were not written.
  public enum Cause: Sendable, Hashable, CaseIterable {
    /// More came than may wait, because the destination was too slow or failed for a while.
    case overflow
    /// The destination failed for good.
    case failure
    /// The output ended before the destination had accepted them.
    case end
    /// A journal at its limit removed them before the destination had accepted them.
    case limit
    /// The destination refuses them and always will.
    case refused
    /// They have no time, and the destination accepts only records with a time.
    case untimed
    /// The reader left and wants no more, which is not a loss.
    case unwanted
  }

  package private(set) var accepted = 0
  package private(set) var written = 0
  /// Records that were not written and never will be, by cause.
  package private(set) var drops: [Cause: Int] = [:]
  /// Whether the destination failed for good, also when it was closed, so that accepted records may be incomplete.
  package var hasFailed = false

  package init() {}

  package var dropped: Int { drops.values.reduce(0, +) }
  /// The dropped records that count as a loss.
  package var lost: Int { dropped - (drops[.unwanted] ?? 0) }
  package var waiting: Int { accepted - written - dropped }
  /// Whether every record is written or waits.
  package var hasLostNothing: Bool { lost == 0 && !hasFailed }
  /// Whether an output that has ended has delivered everything.
  package var isSettled: Bool { hasLostNothing && waiting == 0 }

  package var lossSoFar: String {
    hasLostNothing ? "nothing was lost" : "\(counted(lost, "record was", "records were")) lost so far"
  }

  package mutating func accept(_ count: Int = 1) { accepted += count }

  package mutating func write(_ count: Int = 1) { written += count }

  package mutating func drop(_ count: Int, _ cause: Cause) {
    if count > 0 { drops[cause, default: 0] += count }
  }

  /// Notes that records that counted as written are lost after all.
  package mutating func revoke(_ count: Int, _ cause: Cause) {
    written -= count
    drop(count, cause)
  }

  /// Returns waiting records to a journal, which keeps them for the next run.
  package mutating func giveBack(_ count: Int) { accepted -= count }

  package static func + (one: Self, other: Self) -> Self {
    var sum = one
    sum.accepted += other.accepted
    sum.written += other.written
    sum.drops.merge(other.drops, uniquingKeysWith: +)
    sum.hasFailed = one.hasFailed || other.hasFailed
    return sum
  }
}

/// Decides when a growing number of lost records is reported: when the first is lost, and then at most once a minute.
package struct LossReport: Sendable {
  private var reported = 0
  private var time = -Double.infinity

  package init() {}

  /// Returns the number of lost records if it is to be reported at this time in seconds on the monotonic clock.
  package mutating func due(_ lost: Int, at now: Double) -> Int? {
    guard lost > reported, now >= time + 60 else { return nil }
    (reported, time) = (lost, now)
    return lost
  }
}
