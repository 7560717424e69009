public import FoundationEssentials
public import LocationKit

extension JournalReader {
  /// How many rows are read at a time.
  private static let pieceSize = 1000

  /// Calls `body` for the locations of a time, in the order in which they came, and with `nil` where the fix was lost.
  ///
  /// - Parameters:
  ///   - since: The receiver's time from which on locations count; `nil` for the beginning. A location without a time
  ///     counts only when there is neither this nor `until`.
  ///   - until: The receiver's time before which locations count; `nil` for the end.
  ///   - body: Returns whether to go on.
  /// - Throws: `JournalError`; `body` has had everything that was read before.
  public func forEachLocation(
    since: Date? = nil, until: Date? = nil, _ body: (Location?) -> Bool
  ) throws(JournalError) {
    func isWanted(_ time: Date?) -> Bool {
      guard since != nil || until != nil else { return true }
      guard let time else { return false }
      return time >= since ?? .distantPast && time < until ?? .distantFuture
    }
    var sequence: Int64 = 0
    while true {
      let entries = try entries(after: sequence, limit: Self.pieceSize)
      guard let last = entries.last else { return }
      for entry in entries {
        switch entry.record {
        case .location(let location) where isWanted(location.timestamp):
          guard body(location) else { return }
        // Two losses in a row are one, so one outside the time does no harm.
        case .error(let error, _) where error.code == .locationUnknown:
          guard body(nil) else { return }
        case .location, .error, .crossing: break
        }
      }
      sequence = last.sequence
    }
  }
}
