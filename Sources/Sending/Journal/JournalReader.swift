import CSQLite
public import FoundationEssentials
import LocationKit
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

/// The rows for one reader, which moves its cursor through them. Its methods may wait for a disk.
public protocol JournalQueue: Sendable {
  /// The row up to which everything is acknowledged.
  var cursor: Int64 { get }
  /// The rows after `sequence`, oldest first.
  func entries(after sequence: Int64, limit: Int) throws(JournalError) -> [JournalEntry]
  /// Whether the receiver was inside each fence after the row `sequence`, by the fence's name; unknown fences are
  /// absent.
  func fenceStates(after sequence: Int64) throws(JournalError) -> [String: Bool]
  /// The times that identify fences, in seconds since 1970. A fence without a time gets a unique one, from `now` on,
  /// and keeps it. A queue in memory knows no times.
  func waypointTimes(of fences: [String], now: Int) throws(JournalError) -> [String: Int]
  /// The last row's number; 0 without rows.
  func newestSequence() throws(JournalError) -> Int64
  /// Moves the cursor. When the call returns, the move is permanent.
  func advance(to sequence: Int64) throws(JournalError)
  /// The number of rows after the cursor, and the time of the oldest.
  func waiting() throws(JournalError) -> JournalWaiting
}

/// Reads a journal while another thread or process writes it, and stores its position in the file.
///
/// It has its own connection. Its methods are for any thread that may wait for the disk, which excludes the main actor;
/// calls from several threads run one after the other.
package final class JournalReader: JournalQueue {
  package enum Start: Sendable, Hashable {
    case oldest
    case newest
  }

  private struct State {
    let rows: JournalRows
    var cursor: Int64 = 0
  }

  /// The reader's name in the table `readers`; `nil` for a reader that is not stored there.
  package let name: String?
  private let state: Mutex<State>

  /// Opens an existing journal. Without a name the journal is not written, and the cursor starts at 0. `start` is the
  /// position of a name that the journal does not know yet.
  package init(path: String, name: String? = nil, startingAt start: Start = .newest) throws(JournalError) {
    self.name = name
    try JournalHeader.check(path, readOnly: name == nil)
    let connection = try Connection(path: path, name == nil ? JournalHeader.accessForReading(path) : .readWrite)
    connection.setBusyTimeout(milliseconds: 5000)
    // Only the writer knows whether the log is sound enough to be written back.
    try connection.execute("\(JournalSchema.safety); PRAGMA cache_size = -256; PRAGMA wal_autocheckpoint = 0")
    try JournalSchema.check(connection, path: path)
    var state = State(rows: try JournalRows(connection))
    if let name {
      try JournalSchema.checkNewest(state.rows.newestSequence(), path: path)
      state.cursor = try state.rows.enter(name, start)
    }
    self.state = Mutex(state)
  }

  package var cursor: Int64 { state.withLock { $0.cursor } }

  package func entries(after sequence: Int64, limit: Int) throws(JournalError) -> [JournalEntry] {
    try access { rows, _ throws(JournalError) in try rows.entries(after: sequence, limit: limit) }
  }

  package func newestSequence() throws(JournalError) -> Int64 {
    try access { rows, _ throws(JournalError) in try rows.newestSequence() }
  }

  package func fenceStates(after sequence: Int64) throws(JournalError) -> [String: Bool] {
    try access { rows, _ throws(JournalError) in try rows.fenceStates(after: sequence) }
  }

  package func waypointTimes(of fences: [String], now: Int) throws(JournalError) -> [String: Int] {
    try access { rows, _ throws(JournalError) in try rows.waypointTimes(of: fences, now: now) }
  }

  package func advance(to sequence: Int64) throws(JournalError) {
    try access { rows, cursor throws(JournalError) in
      guard sequence > cursor else { return }
      if let name { try rows.move(name, to: sequence) }
      cursor = sequence
    }
  }

  package func waiting() throws(JournalError) -> JournalWaiting {
    try access { rows, cursor throws(JournalError) in try rows.waiting(after: cursor) }
  }

  // MARK: Locations

  /// The most rows read at a time, and the most row numbers searched for them.
  private static let (pieceSize, pieceRange) = (1000, Int64(100_000))

  package func forEachLocation(
    of device: String, since: Date? = nil, until: Date? = nil, onUnusable: (UnusableRow) -> Void = { _ in },
    _ body: (Location) -> Bool
  ) throws(JournalError) {
    try access { rows, _ throws(JournalError) in
      try rows.locations(of: device, since: since, until: until, onUnusable: onUnusable, body)
    }
  }

  /// Empty in a journal that no collector has written.
  package func newestLocations() throws(JournalError) -> [Location] {
    try access { rows, _ throws(JournalError) in try DeviceTables.newestLocations(rows.connection) }
  }

  /// Calls `body` for the current locations in the order of their arrival until it returns false, and with `nil` if the fix
  /// was lost between two of them or after the newest. Of a damaged file it reads what can be read, and an error comes after
  /// everything that was read before. With `since` or `until`, which is not included, locations without a time are left
  /// out. `limit` is the number of newest rows to search.
  package func forEachLocation(
    _ detail: LocationDetail = .whole, since: Date? = nil, until: Date? = nil, inNewest limit: Int64 = .max,
    while goesOn: () -> Bool = { true }, onUnusable: (UnusableRow) -> Void = { _ in }, _ body: (Location?) -> Bool
  ) throws(JournalError) {
    let newest = try newestSequence()
    var sequence = newest - min(limit, newest)
    // The loss of the fix counts between two locations and after the newest.
    var hasLocation = false
    var isLost = false
    var failures: Int64 = 0
    // Every row is checked, because the receiver's clock may have gone back; SQLite checks ten million in half a
    // second. No statement is open while `body` runs, because the writer's log cannot shrink during a read.
    while sequence < newest {
      guard goesOn() else { return }
      let from = sequence
      let piece: (rows: [(sequence: Int64, content: JournalRows.LocationRow)], end: Int64)
      do throws(JournalError) {
        piece = try access { rows, _ throws(JournalError) in
          try rows.locations(
            detail, after: from, through: newest, since: since, until: until, limit: Self.pieceSize,
            range: Self.pieceRange)
        }
      } catch {
        guard error.reason == .damaged else { throw error }
        // The numbers on the damaged page are not known, so it tries the next ones, in growing steps.
        failures += 1
        for number in sequence + 1...min(newest, sequence + failures / 8 + 1) {
          onUnusable(UnusableRow(number: number, isDamaged: true))
          sequence = number
        }
        continue
      }
      failures = 0
      for row in piece.rows {
        switch row.content {
        case .unusable(let isDamaged): onUnusable(UnusableRow(number: row.sequence, isDamaged: isDamaged))
        case .loss: isLost = hasLocation
        case .location(let location):
          if isLost, !body(nil) { return }
          (hasLocation, isLost) = (true, false)
          if !body(location) { return }
        }
      }
      sequence = piece.end
    }
    if isLost, since == nil, until == nil { _ = body(nil) }
  }

  /// The quarters of an hour since 1970 in which there is a location, in order. `goesOn`, which may wait, is called between
  /// two pieces of the journal.
  package func quarters(while goesOn: () -> Bool = { true }) throws(JournalError) -> [Int64] {
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
    try state.withLock { state throws(JournalError) in try body(state.rows, &state.cursor) }
  }
}

package enum LocationDetail: Sendable, Hashable {
  case whole
  /// The members of a track and its statistics: time, position, accuracy, altitude, speed and how the fix was found.
  /// Reading them takes half the time.
  case track
}
