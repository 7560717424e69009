import Platform

/// The account of a publisher: what became of the rows of a journal behind its first cursor.
///
/// A row counts as written, or as dropped, once the cursor is behind it, because an interruption sends the others again.
struct RowLedger {
  /// It has announcements that were refused, too.
  private(set) var account = Account()
  /// The newest row that was accepted.
  private var newest: Int64
  /// The newest row of which the fate is in the account.
  private var settled: Int64
  /// Rows beyond that which will not be published.
  private var drops: [(rows: ClosedRange<Int64>, cause: Account.Cause)] = []

  init(cursor: Int64) { (newest, settled) = (cursor, cursor) }

  /// Accepts the rows up to that one.
  mutating func accept(through row: Int64) {
    guard row > newest else { return }
    account.accept(Int(row - newest))
    newest = row
  }

  /// Notes that rows will not be published.
  mutating func drop(_ rows: ClosedRange<Int64>, _ cause: Account.Cause) {
    if rows.lowerBound > settled { drops.append((rows, cause)) }
  }

  /// Brings the account up to a row such that it and all before it are acknowledged or left out.
  mutating func settle(through cursor: Int64) {
    guard cursor > settled else { return }
    accept(through: cursor)
    var written = Int(cursor - settled)
    drops.removeAll { drop in
      guard drop.rows.upperBound <= cursor else { return false }
      account.drop(drop.rows.count, drop.cause)
      written -= drop.rows.count
      return true
    }
    account.write(written)
    settled = cursor
  }

  /// The rows beyond the cursor are read and sent again.
  mutating func startOver() { drops = [] }

  /// Counts an announcement that the other side will never take.
  mutating func refuseAnnouncement() {
    account.accept()
    account.drop(1, .refused)
  }
}
