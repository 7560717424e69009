public import LocationKit

extension JournalReader {
  /// How many rows are read at a time.
  private static let pieceSize = 1000

  /// Calls `body` for the locations that there are now, in the order in which they came, and with `nil` where the fix was
  /// lost.
  ///
  /// - Parameters:
  ///   - limit: How many of the newest rows are looked at.
  ///   - body: Returns whether to go on.
  /// - Throws: `JournalError`; `body` has had everything that was read before.
  public func forEachLocation(
    inNewest limit: Int64 = .max, _ body: (Location?) -> Bool
  ) throws(JournalError) {
    let newest = try newestSequence()
    var sequence = max(0, newest - limit)
    while sequence < newest {
      let entries = try entries(after: sequence, limit: Self.pieceSize)
      guard let last = entries.last else { return }
      for entry in entries where entry.sequence <= newest {
        switch entry.record {
        case .location(let location):
          guard body(location) else { return }
        case .error(let error, _) where error.code == .locationUnknown:
          guard body(nil) else { return }
        case .error, .crossing: break
        }
      }
      sequence = last.sequence
    }
  }
}
