public import LocationKit
public import Platform

/// A journal of many devices in an SQLite file with one writer at a time.
///
/// Committed records survive any end of the process. A power cut may lose the last ten seconds, because SQLite does not
/// wait for the disk at each commit.
public final class DeviceJournalFile: DeviceJournal {
  /// The name for messages.
  public let name: String
  private let file: JournalFile

  /// Opens a journal or creates it. The journal of a single receiver gets the missing columns and tables.
  ///
  /// - Parameters:
  ///   - path: The database file. `PATH-wal`, `PATH-shm` and `PATH-lock` are beside it.
  ///   - limit: The size limit in bytes, at which the oldest rows are deleted.
  ///   - host: The program's host.
  /// - Throws: `JournalError`. A foreign, newer or damaged file is not changed.
  public init(path: String, limit: Int, host: Host = .system) throws(JournalError) {
    name = "journal \(path)"
    file = try JournalFile(path: path, limit: limit, kind: .devices, host: host)
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
    // In the order of names, so that the same records always write the same pages.
    try file.commit(records.map { .keep($0) } + newest.sorted { $0.key < $1.key }.map { .noteNewest($0.value) })
    _ = file.enforceLimit()
  }

  /// Records that were lost with a log that another program removed or truncated.
  public var lost: Int { file.lost }

  /// Returns what another program did to the file and what was repaired since the last call.
  public func takeNotices() -> [String] { file.takeNotices() }

  /// The newest location of each device, ordered by name.
  public func newestLocations() throws(JournalError) -> [Location] {
    try file.read { connection throws(JournalError) in try DeviceTables.newestLocations(connection) }
  }

  /// The stored locations of each device in the given number of seconds up to its newest, and the last five before
  /// them, ordered by name and time.
  public func recentLocations(within seconds: Double) throws(JournalError) -> [Location] {
    try file.read { connection throws(JournalError) in try DeviceTables.recentLocations(connection, within: seconds) }
  }

  /// The last crossing of each fence by each device.
  public func lastCrossings() throws(JournalError) -> [RegionCrossing] {
    try file.read { connection throws(JournalError) in try DeviceTables.lastCrossings(connection) }
  }
}
