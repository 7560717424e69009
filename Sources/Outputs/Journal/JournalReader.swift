import CSQLite
public import FoundationEssentials
public import LocationKit
import Synchronization

/// The rows that a reader has not read yet.
public struct JournalWaiting: Sendable, Hashable {
  /// The number of rows after the reader's cursor.
  public var count: Int
  /// The receiver's time of the oldest of them, if it has one.
  public var oldest: Date?
  /// The number of the newest row that was deleted; 0 if the journal still has all rows.
  public var gone: Int64

  /// Creates a count.
  public init(count: Int, oldest: Date? = nil, gone: Int64 = 0) {
    (self.count, self.oldest, self.gone) = (count, oldest, gone)
  }
}

/// Reads a journal while another thread or process writes it, and stores its position in the file.
///
/// It has its own connection. Its methods are for any thread that may wait for the disk, which excludes the main actor;
/// calls from several threads run one after the other.
public final class JournalReader: Sendable {
  /// The start of a reader that the journal does not know yet.
  public enum Start: Sendable, Hashable {
    /// At the oldest row.
    case oldest
    /// After the newest row.
    case newest
  }

  private struct State {
    /// `nil` before the first use, and after the journal's writer had to close it.
    var rows: JournalRows?
    /// Whether the reader's name has been stored in the journal.
    var isEntered = false
    var cursor: Int64 = 0
  }

  /// The journal's path.
  public let path: String
  /// The reader's name in the table `readers`; `nil` for a reader that is not stored there.
  public let name: String?
  private let start: Start
  private let kind: JournalKind
  private let state = Mutex(State())

  /// Opens an existing journal.
  ///
  /// - Parameters:
  ///   - path: The database file.
  ///   - name: The name under which the journal keeps the reader's position. Without a name the journal is not written,
  ///     and the cursor starts at 0.
  ///   - start: The position of a name that the journal does not know yet.
  /// - Throws: `JournalError`.
  public convenience init(path: String, name: String? = nil, startingAt start: Start = .newest) throws(JournalError) {
    try self.init(path: path, name: name, startingAt: start, kind: .receiver)
  }

  init(path: String, name: String?, startingAt start: Start, kind: JournalKind) throws(JournalError) {
    (self.path, self.name, self.start, self.kind) = (path, name, start, kind)
    try open()
  }

  private func open() throws(JournalError) {
    try OpenReaders.opening(self) { () throws(JournalError) in
      try JournalHeader.check(path, readOnly: name == nil)
      let access = try name == nil ? JournalHeader.accessForReading(path) : .readWrite
      try state.withLock { state throws(JournalError) in
        let connection = try Connection(path: path, access)
        connection.setBusyTimeout(milliseconds: 5000)
        // Only the writer knows whether the log is sound enough to be written back.
        try connection.execute(
          "\(JournalSchema.safety(of: kind)); PRAGMA cache_size = -256; PRAGMA wal_autocheckpoint = 0")
        try JournalSchema.check(connection, path: path)
        let rows = try JournalRows(connection)
        if let name {
          try JournalSchema.checkNewest(rows.newestSequence(), path: path)
          state.cursor = try rows.enter(name, state.isEntered ? .oldest : start, notBefore: state.cursor)
          state.isEntered = true
        }
        state.rows = rows
      }
    }
  }

  /// Whether the reader has a connection, or is in use.
  var isOpen: Bool { state.withLockIfAvailable { $0.rows != nil } ?? true }

  /// Closes the connection until the next call opens it again.
  func close() {
    state.withLock { $0.rows = nil }
  }

  /// The sequence number up to which the reader has read everything.
  public var cursor: Int64 { state.withLock { $0.cursor } }

  /// The rows after `sequence`, oldest first, at most `limit` of them.
  public func entries(after sequence: Int64, limit: Int) throws(JournalError) -> [JournalEntry] {
    try access { rows, _ throws(JournalError) in try rows.entries(after: sequence, limit: limit) }
  }

  /// The newest row's sequence number; 0 before the first row.
  public func newestSequence() throws(JournalError) -> Int64 {
    try access { rows, _ throws(JournalError) in try rows.newestSequence() }
  }

  /// Whether the receiver was inside each fence after the row `sequence`, by the fence's name; unknown fences are
  /// absent.
  public func fenceStates(after sequence: Int64) throws(JournalError) -> [String: Bool] {
    try access { rows, _ throws(JournalError) in
      try rows.fenceStates(after: sequence)
    }
  }

  /// Returns the times that identify fences, in seconds since 1970. A fence without a time gets a unique one, from
  /// `now` on, and keeps it. Once the call returns, it survives the end of the process.
  public func waypointTimes(of fences: [String], now: Int) throws(JournalError) -> [String: Int] {
    try access { rows, _ throws(JournalError) in
      try rows.waypointTimes(of: fences, now: now)
    }
  }

  /// Moves the cursor forward, never back. It is committed when the call returns and survives the end of the process.
  public func advance(to sequence: Int64) throws(JournalError) {
    try access { rows, cursor throws(JournalError) in
      guard sequence > cursor else { return }
      if let name { try rows.move(name, to: sequence) }
      cursor = sequence
    }
  }

  /// The rows after the cursor.
  public func waiting() throws(JournalError) -> JournalWaiting {
    try access { rows, cursor throws(JournalError) in
      let newest = try rows.newestSequence()
      // Row numbers have no gaps, so no rows need to be counted.
      let oldest = try rows.connection.integer(JournalSchema.oldestSequence)
      let gone = max(oldest ?? 1, 1) - 1
      let read = max(cursor, gone)
      guard oldest != nil, newest > read else { return JournalWaiting(count: 0, gone: gone) }
      let first = try rows.entries(after: read, limit: 1).first
      return JournalWaiting(count: Int(newest - read), oldest: first?.record.time, gone: gone)
    }
  }

  // MARK: Locations

  /// The most rows read at a time, and the most row numbers searched for them.
  private static let (pieceSize, pieceRange) = (1000, Int64(100_000))

  /// Calls `body` for the locations of one of many devices, ordered by time, as ``DeviceHistory`` describes.
  public func forEachLocation(
    of device: String, since: Date? = nil, until: Date? = nil, _ body: (Location) -> Bool
  ) throws(JournalError) {
    try access { rows, _ throws(JournalError) in
      try rows.locations(of: device, since: since, until: until, body)
    }
  }

  /// The newest location of each device, ordered by name; empty in a journal that no collector has written.
  public func newestLocations() throws(JournalError) -> [Location] {
    try access { rows, _ throws(JournalError) in try DeviceTables.newestLocations(rows.connection) }
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
      let (piece, end) = try access { rows, _ throws(JournalError) in
        try rows.locations(
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

  /// The quarters of an hour since 1970 in which there is a location, in order.
  ///
  /// - Parameter goesOn: Called between two pieces of the journal; returns whether to continue. It may wait.
  /// - Throws: `JournalError`.
  public func quarters(while goesOn: () -> Bool = { true }) throws(JournalError) -> [Int64] {
    var found: Set<Int64> = []
    var sequence: Int64 = 0
    while goesOn() {
      let from = sequence
      let piece = try access { rows, _ throws(JournalError) in try rows.quarters(after: from) }
      guard let piece else { break }
      found.formUnion(piece.quarters)
      sequence = piece.end
    }
    return found.sorted()
  }

  func access<Value: Sendable>(
    _ body: (JournalRows, inout Int64) throws(JournalError) -> Value
  ) throws(JournalError) -> Value {
    while true {
      let value = try state.withLock { state throws(JournalError) -> Value? in
        guard let rows = state.rows else { return nil }
        return try body(rows, &state.cursor)
      }
      if let value { return value }
      try open()
    }
  }
}

/// The members of a location to read.
public enum LocationDetail: Sendable, Hashable {
  /// All members.
  case whole
  /// The members of a track and its statistics: time, position, accuracy, altitude, speed and how the fix was found.
  /// Reading them takes half the time.
  case way
}
