public import FoundationEssentials
public import LocationKit

/// The members of a location to read.
public enum LocationDetail: Sendable, Hashable {
  /// All members.
  case whole
  /// The members of a track and its statistics: time, position, accuracy, altitude, speed and how the fix was found.
  /// Reading them takes half the time.
  case way
}

extension JournalReader {
  /// The most rows read at a time, and the most row numbers searched for them.
  private static let (pieceSize, pieceRange) = (1000, Int64(100_000))

  /// Calls `body` for the locations of one of many devices, ordered by time.
  ///
  /// - Parameters:
  ///   - device: The device, as in a record's member `device`.
  ///   - since: The earliest time of a location.
  ///   - until: The end of the period; locations at this time are not included.
  ///   - body: Returns whether to continue. It must not use this reader.
  /// - Throws: `JournalError`, after `body` has received everything read before.
  public func forEachLocation(
    of device: String, since: Date? = nil, until: Date? = nil, _ body: (Location) -> Bool
  ) throws(JournalError) {
    try access { storage, _ throws(JournalError) in
      try storage.rows.locations(of: device, since: since, until: until, body)
    }
  }

  /// The newest location of each device, ordered by name; empty in a journal that no collector has written.
  public func newestLocations() throws(JournalError) -> [Location] {
    try access { storage, _ throws(JournalError) in try DeviceTables.newestLocations(storage.connection) }
  }

  /// Calls `body` for the current locations in the order of their arrival, and with `nil` if the fix was lost between
  /// two of them or after the newest.
  ///
  /// - Parameters:
  ///   - detail: The members to read.
  ///   - since: The earliest time by the receiver. With `since` or `until`, locations without a time are left out.
  ///   - until: The end of the period; locations at this time are not included.
  ///   - limit: How many of the newest rows to search.
  ///   - goesOn: Called between two pieces of the journal; returns whether to continue. It may wait.
  ///   - body: Returns whether to continue.
  /// - Throws: `JournalError`, after `body` has received everything read before.
  public func forEachLocation(
    _ detail: LocationDetail = .whole, since: Date? = nil, until: Date? = nil, inNewest limit: Int64 = .max,
    while goesOn: () -> Bool = { true }, _ body: (Location?) -> Bool
  ) throws(JournalError) {
    let newest = try newestSequence()
    var sequence = newest - min(limit, newest)
    // The loss of the fix counts between two locations and after the newest.
    var hasLocation = false
    var isLost = false
    // Every row is checked, because the receiver's clock may have gone back; SQLite checks ten million in half a
    // second. No statement is open while `body` runs, because the writer's log cannot shrink during a read.
    while sequence < newest {
      guard goesOn() else { return }
      let from = sequence
      let (piece, end) = try access { storage, _ throws(JournalError) in
        try storage.rows.locations(
          detail, after: from, through: newest, since: since, until: until, limit: Self.pieceSize,
          range: Self.pieceRange)
      }
      for row in piece {
        guard let location = row.location else {
          isLost = hasLocation
          continue
        }
        if isLost, !body(nil) { return }
        (hasLocation, isLost) = (true, false)
        if !body(location) { return }
      }
      sequence = end
    }
    if isLost, since == nil, until == nil { _ = body(nil) }
  }
}
