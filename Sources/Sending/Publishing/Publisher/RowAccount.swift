import Platform

/// The account of a publisher for the rows of a journal after its first cursor.
///
/// A row counts as written or dropped once the cursor is past it, because an interruption sends the others again.
struct RowAccount {
  private(set) var account = Account()
  private var newest: Int64
  /// The last row that the account includes.
  private var settled: Int64
  /// Later rows that will not be published.
  private var drops: [(rows: ClosedRange<Int64>, cause: Account.Cause)] = []

  init(cursor: Int64) { (newest, settled) = (cursor, cursor) }

  mutating func accept(through row: Int64) {
    guard row > newest else { return }
    account.accept(Int(row - newest))
    newest = row
  }

  mutating func drop(_ rows: ClosedRange<Int64>, _ cause: Account.Cause) {
    if rows.lowerBound > settled { drops.append((rows, cause)) }
  }

  /// Updates the account up to `cursor`, where all rows are acknowledged or left out.
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

  /// The rows after the cursor are read and sent again.
  mutating func startOver() { drops = [] }

  mutating func refuseAnnouncement() {
    account.accept()
    account.drop(1, .refused)
  }
}
