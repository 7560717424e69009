import LocationKit
import Platform

/// A journal of many devices in an SQLite file with one writer at a time.
///
/// Committed records survive any end of the process. A power cut may lose the last ten seconds, because SQLite does not
/// wait for the disk at each commit.
package final class DeviceJournalFile: DeviceJournal {
  package let name: String
  private let file: JournalFile

  /// Opens a journal or creates it, as `JournalWriter` does. The journal of a single receiver gets the missing columns and
  /// tables.
  package init(path: String, limit: Int, host: Host = .system) throws(JournalError) {
    name = "journal \(path)"
    file = try JournalFile(path: path, limit: limit, isForDevices: true, host: host)
  }

  deinit {
    try? file.finish()
  }

  package func commit(_ records: [DeviceRecord]) throws(JournalError) {
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

  package func takeNotices() -> [String] { file.takeNotices() }

  package func newestLocations() throws(JournalError) -> [Location] {
    try file.read { connection throws(JournalError) in try DeviceTables.newestLocations(connection) }
  }

  package func recentLocations(within seconds: Double) throws(JournalError) -> [Location] {
    try file.read { connection throws(JournalError) in try DeviceTables.recentLocations(connection, within: seconds) }
  }

  package func lastCrossings() throws(JournalError) -> [RegionCrossing] {
    try file.read { connection throws(JournalError) in try DeviceTables.lastCrossings(connection) }
  }
}
