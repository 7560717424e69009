public import LocationKit

/// A journal of many devices in an SQLite file, which one program at a time writes.
///
/// What was committed survives the end of the process, however sudden. A power cut may take the last ten seconds: SQLite does
/// not wait for the disk at each commit.
public final class DeviceJournalFile: DeviceJournal {
  /// What a person calls it.
  public let name: String
  private let file: JournalFile
  private let path: String

  /// Opens a journal, and makes it where there is none; one of a single receiver gets what it lacks.
  ///
  /// - Parameters:
  ///   - path: The database file. `PATH-wal`, `PATH-shm` and `PATH-lock` are beside it.
  ///   - limit: How many bytes the database may have: the oldest rows go.
  /// - Throws: `JournalError`. A file that is no journal, a newer one or a damaged one stays as it is.
  public init(path: String, limit: Int) throws(JournalError) {
    self.path = path
    name = "journal \(path)"
    file = try JournalFile(path: path, limit: limit, kind: .devices)
  }

  deinit {
    try? file.finish()
  }

  /// Writes records in one transaction.
  public func commit(_ records: [DeviceRecord]) throws(JournalError) {
    var newest: [String: Location] = [:]
    for record in records where !record.isAhead {
      guard case .location(let location) = record.record, let time = location.timestamp,
        let device = location.sourceInformation?.deviceIdentifier
      else { continue }
      if let last = newest[device]?.timestamp, last > time { continue }
      newest[device] = location
    }
    try file.commit(records.map { .keep($0) } + newest.values.map { .noteNewest($0) })
    // Rows are safe; if old ones cannot go just now, the next commit tries again.
    _ = try? file.enforceLimit()
  }

  /// Records that went with a log that another program removed or cut off.
  public var lost: Int { file.lost }

  /// What another program did to the file and what was repaired since this was asked last.
  public func takeNotices() -> [String] { file.takeNotices() }

  /// The newest location of each device, in the order of their names.
  public func newestLocations() throws(JournalError) -> [Location] {
    try file.read { connection throws(SQLiteError) in try DeviceTables.newestLocations(connection) }
  }

  /// Of each device the locations of so many seconds up to its newest, as far as they are kept, in the order of names and
  /// times.
  public func recentLocations(within seconds: Double) throws(JournalError) -> [Location] {
    try file.read { connection throws(SQLiteError) in try DeviceTables.recentLocations(connection, within: seconds) }
  }

  /// The last crossing of each fence by each device.
  public func lastCrossings() throws(JournalError) -> [RegionCrossing] {
    try file.read { connection throws(SQLiteError) in try DeviceTables.lastCrossings(connection) }
  }
}
