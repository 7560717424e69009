import CSQLite
public import FoundationEssentials
import LocationKit
import Synchronization

/// The rows that a reader has not taken yet.
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
    var storage: Storage?
    /// Whether the reader's name has been stored in the journal.
    var isEntered = false
    var cursor: Int64 = 0
  }

  struct Storage {
    let connection: Connection
    let rows: JournalRows
    let move: Statement
    let newest: Statement
    let oldest: Statement
    let states: Statement

    init(_ connection: Connection) throws(JournalError) {
      self.connection = connection
      rows = try JournalRows(connection)
      move = try connection.prepare("UPDATE readers SET cursor = ?1 WHERE name = ?2")
      newest = try connection.prepare(JournalSchema.newestSequence)
      oldest = try connection.prepare(JournalSchema.oldestSequence)
      states = try connection.prepare(JournalSchema.fenceStates)
    }

    func newestSequence() throws(JournalError) -> Int64 { try newest.first { $0.integer(0) } ?? 0 }

    /// Stores a reader's name and returns its cursor. A new reader starts at the newest row or at the oldest.
    func enter(_ name: String, _ start: Start, notBefore cursor: Int64) throws(JournalError) -> Int64 {
      let first = start == .newest ? "max(?2, (\(JournalSchema.newestSequence)))" : "?2"
      let enter = try connection.prepare("INSERT OR IGNORE INTO readers (name, cursor) VALUES (?1, \(first))")
      enter.bind(name, at: 1)
      enter.bind(cursor, at: 2)
      try enter.run()
      let known = try connection.prepare("SELECT cursor FROM readers WHERE name = ?")
      known.bind(name, at: 1)
      return max(cursor, try known.first { $0.integer(0) } ?? 0)
    }
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
      guard try JournalHeader.find(path, readOnly: name == nil) else {
        throw JournalError(.cannotOpen, path: path, "does not exist")
      }
      let access = try name == nil ? JournalHeader.accessForReading(path) : .readWrite
      try state.withLock { state throws(JournalError) in
        let connection = try Connection(path: path, access)
        connection.setBusyTimeout(milliseconds: 5000)
        // Only the writer knows whether the log is sound enough to be written back.
        try connection.execute(
          "\(JournalSchema.safety(of: kind)); PRAGMA cache_size = -256; PRAGMA wal_autocheckpoint = 0")
        try JournalSchema.check(connection, path: path)
        let storage = try Storage(connection)
        if let name {
          try JournalSchema.checkNewest(storage.newestSequence(), path: path)
          state.cursor = try storage.enter(name, state.isEntered ? .oldest : start, notBefore: state.cursor)
          state.isEntered = true
        }
        state.storage = storage
      }
    }
  }

  /// Whether the reader has a connection, or is in use.
  var isOpen: Bool { state.withLockIfAvailable { $0.storage != nil } ?? true }

  /// Closes the connection until the next call opens it again.
  func close() {
    state.withLock { $0.storage = nil }
  }

  /// The sequence number up to which the reader has taken everything.
  public var cursor: Int64 { state.withLock { $0.cursor } }

  /// The rows after `sequence`, oldest first, at most `limit` of them.
  public func entries(after sequence: Int64, limit: Int) throws(JournalError) -> [JournalEntry] {
    try access { storage, _ throws(JournalError) in try storage.rows.entries(after: sequence, limit: limit) }
  }

  /// The newest row's sequence number; 0 before the first row.
  public func newestSequence() throws(JournalError) -> Int64 {
    try access { storage, _ throws(JournalError) in try storage.newestSequence() }
  }

  /// Whether the receiver was inside each fence after the row `sequence`, by the fence's name; unknown fences are
  /// absent.
  public func fenceStates(after sequence: Int64) throws(JournalError) -> [String: Bool] {
    try access { storage, _ throws(JournalError) in
      storage.states.bind(sequence, at: 1)
      var states: [String: Bool] = [:]
      while try storage.states.step() {
        if let name = storage.states.text(0) { states[name] = storage.states.integer(1) == 1 }
      }
      return states
    }
  }

  /// Returns the times that identify fences, in seconds since 1970. A fence without a time gets a unique one, from
  /// `now` on, and keeps it. Once the call returns, it survives the end of the process.
  public func waypointTimes(of fences: [String], now: Int) throws(JournalError) -> [String: Int] {
    try access { storage, _ throws(JournalError) in
      try WaypointTable.times(of: fences, now: Int64(now), storage.connection)
    }
  }

  /// Moves the cursor forward, never back. It is committed when the call returns and survives the end of the process.
  public func advance(to sequence: Int64) throws(JournalError) {
    try access { storage, cursor throws(JournalError) in
      guard sequence > cursor else { return }
      if let name {
        storage.move.bind(sequence, at: 1)
        storage.move.bind(name, at: 2)
        try storage.move.run()
      }
      cursor = sequence
    }
  }

  /// The rows after the cursor.
  public func waiting() throws(JournalError) -> JournalWaiting {
    try access { storage, cursor throws(JournalError) in
      let newest = try storage.newestSequence()
      // Row numbers have no gaps, so no rows need to be counted.
      guard let oldest = try storage.oldest.first({ $0.integer(0) }) else { return JournalWaiting(count: 0) }
      let gone = max(oldest, 1) - 1
      let taken = max(cursor, gone)
      guard newest > taken else { return JournalWaiting(count: 0, gone: gone) }
      let first = try storage.rows.entries(after: taken, limit: 1).first
      return JournalWaiting(count: Int(newest - taken), oldest: first?.record.time, gone: gone)
    }
  }

  func access<Value: Sendable>(
    _ body: (Storage, inout Int64) throws(JournalError) -> Value
  ) throws(JournalError) -> Value {
    while true {
      let value = try state.withLock { state throws(JournalError) -> Value? in
        guard let storage = state.storage else { return nil }
        return try body(storage, &state.cursor)
      }
      if let value { return value }
      try open()
    }
  }
}

/// The times by which OwnTracks identifies fences. A reader creates the table at the first request, because most
/// journals are not published.
enum WaypointTable {
  private static let definition = """
    CREATE TABLE IF NOT EXISTS waypoints (
      fence TEXT PRIMARY KEY,
      time INTEGER NOT NULL UNIQUE
    )
    """

  /// All times, in seconds since 1970. Each of `fences` without a time gets one from `now` on, after all others.
  static func times(of fences: [String], now: Int64, _ connection: Connection) throws(JournalError) -> [String: Int] {
    try connection.execute(definition)
    return try connection.transaction { () throws(JournalError) in
      let enter = try connection.prepare(
        "INSERT OR IGNORE INTO waypoints VALUES (?1, max(?2, (SELECT ifnull(max(time) + 1, 0) FROM waypoints)))")
      for fence in fences {
        enter.bind(fence, at: 1)
        enter.bind(now, at: 2)
        try enter.run()
      }
      let rows = try connection.prepare("SELECT fence, time FROM waypoints")
      var times: [String: Int] = [:]
      while try rows.step() {
        if let fence = rows.text(0), let time = rows.integer(1) { times[fence] = Int(time) }
      }
      return times
    }
  }
}
