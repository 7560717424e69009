public import FoundationEssentials
public import LocationKit

/// What is read of each location.
public enum LocationDetail: Sendable, Hashable {
  /// All of it.
  case whole
  /// What a way and its figures are made of: the time, the place, its accuracy, the altitude, the speed and how the fix was
  /// found. It takes half the time.
  case way
}

extension JournalReader {
  /// How many rows are read at a time, and among how many numbers.
  private static let (pieceSize, pieceRange) = (1000, Int64(100_000))

  /// Calls `body` for the locations of one of many devices, in the order of their times.
  ///
  /// - Parameters:
  ///   - device: Which, as a record's member `device` has it.
  ///   - since: The earliest time of a location.
  ///   - until: The time before which locations are.
  ///   - body: Returns whether to go on. It must not use this reader.
  /// - Throws: `JournalError`; `body` has had everything that was read before.
  public func forEachLocation(
    of device: String, since: Date? = nil, until: Date? = nil, _ body: (Location) -> Bool
  ) throws(JournalError) {
    try access { storage, _ throws(SQLiteError) in
      try storage.rows.locations(of: device, since: since, until: until, body)
    }
  }

  /// The newest location of each device, in the order of their names; none in a journal that no collector has written.
  public func newestLocations() throws(JournalError) -> [Location] {
    try access { storage, _ throws(SQLiteError) in try DeviceTables.newestLocations(storage.connection) }
  }

  /// Calls `body` for the locations that there are now, in the order in which they came, and with `nil` where the fix was
  /// lost between two of them, or after the newest.
  ///
  /// - Parameters:
  ///   - detail: What is read of them.
  ///   - since: The earliest time of a location by the receiver; with it, or with `until`, locations without a time are
  ///     left out.
  ///   - until: The time before which locations are.
  ///   - limit: How many of the newest rows are looked at.
  ///   - goesOn: Asked between two pieces of the journal whether to go on; it may wait.
  ///   - body: Returns whether to go on.
  /// - Throws: `JournalError`; `body` has had everything that was read before.
  public func forEachLocation(
    _ detail: LocationDetail = .whole, since: Date? = nil, until: Date? = nil, inNewest limit: Int64 = .max,
    while goesOn: () -> Bool = { true }, _ body: (Location?) -> Bool
  ) throws(JournalError) {
    let newest = try newestSequence()
    var sequence = newest - min(limit, newest)
    // The loss of the fix counts between two locations, and behind the newest.
    var hasLocation = false
    var isLost = false
    // The receiver's clock may have gone back, so that every row counts; SQLite looks at ten million in half a second. A piece
    // at a time, and none while `body` runs: the log of who writes cannot shrink while somebody reads.
    while sequence < newest {
      guard goesOn() else { return }
      let from = sequence
      let (piece, end) = try access { storage, _ throws(SQLiteError) in
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
