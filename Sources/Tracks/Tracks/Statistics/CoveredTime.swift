import FoundationEssentials

/// The times that parts of a track have covered, where its time runs backwards: two receivers in one file, or files that
/// overlap. It holds one period for each time that it did, and none for a track whose time runs forwards.
struct CoveredTime: Sendable {
  /// In order, and apart from each other.
  private var periods: [ClosedRange<Date>] = []

  /// Takes a period.
  mutating func add(_ period: ClosedRange<Date>) {
    var whole = period
    periods.removeAll { other in
      guard other.overlaps(whole) else { return false }
      whole = min(whole.lowerBound, other.lowerBound)...max(whole.upperBound, other.upperBound)
      return true
    }
    periods.insert(whole, at: periods.firstIndex { $0.lowerBound > whole.upperBound } ?? periods.count)
  }

  /// Seconds between two times that no period has.
  func uncovered(from start: Date, to end: Date) -> Double {
    let all = end.timeIntervalSince(start)
    guard !periods.isEmpty, all > 0 else { return all }
    let covered = periods.reduce(0) { sum, period in
      sum + max(0, min(end, period.upperBound).timeIntervalSince(max(start, period.lowerBound)))
    }
    return max(0, all - covered)
  }
}
