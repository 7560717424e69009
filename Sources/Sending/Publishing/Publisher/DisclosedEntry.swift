import Journal
import LocationKit

/// A row of the journal as the other side may know it. Only a `PrivacyFilter` makes one, so no message is made of a row that
/// the filter has not seen.
struct DisclosedEntry {
  let sequence: Int64
  /// `nil` for a row that is left out.
  let record: JournalRecord?
  /// The filter before this row, from which it is read again.
  let before: PrivacyFilter

  fileprivate init(_ sequence: Int64, _ record: JournalRecord?, before: PrivacyFilter) {
    (self.sequence, self.record, self.before) = (sequence, record, before)
  }
}

extension PrivacyFilter {
  /// What the other side is told of the next row; `fences` are those that it knows.
  mutating func disclose(_ entry: JournalEntry, fences: [Waypoint]) -> DisclosedEntry {
    let before = self
    return DisclosedEntry(entry.sequence, record(entry.record, fences), before: before)
  }

  private mutating func record(_ record: JournalRecord, _ fences: [Waypoint]) -> JournalRecord? {
    switch record {
    case .location(let location):
      switch disclose(location) {
      case .location(let location): .location(location)
      case .hidden: .error(Self.hiding, nil)
      case .nothing: nil
      }
    case .error: disclosesLoss() ? record : nil
    case .crossing(let crossing):
      // The journal has only the fence's name.
      policy.isExact
        || fences.contains { $0.region.identifier == crossing.region.identifier }
          && disclosesCrossing(at: crossing.location)
        ? record : nil
    }
  }
}
