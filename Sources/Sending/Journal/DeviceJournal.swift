public import FoundationEssentials
public import LocationKit
import Platform

/// The stored history of many devices.
///
/// One thread at a time uses it. Its methods may wait for the disk or the server.
package protocol DeviceHistory {
  func newestLocations() throws(JournalError) -> [Location]

  /// Calls `body` for the locations of a device from `since` to before `until`, ordered by time, until it returns false.
  /// It must not use this history. An error comes after everything that was read before.
  func forEachLocation(
    of device: String, since: Date?, until: Date?, onUnusable: (UnusableRow) -> Void, _ body: (Location) -> Bool
  ) throws(JournalError)
}

extension JournalReader: DeviceHistory {}

package struct UnusableRow: Sendable, Hashable {
  package var number: Int64
  /// Whether its page is damaged; otherwise another program has stored no place or none on earth.
  package var isDamaged: Bool

  package init(number: Int64, isDamaged: Bool) { (self.number, self.isDamaged) = (number, isDamaged) }
}

/// A journal of many devices. Several programs may write to it at the same time if it is a database on a server.
///
/// One thread at a time uses it. Its methods may wait for the disk or the server.
public protocol DeviceJournal: AnyObject {
  /// The name for messages, without a password.
  var name: String { get }

  /// Writes records in one transaction. When the call returns, they survive any end of the process. A record that the
  /// journal already has is not written again. An empty commit connects and creates missing tables.
  ///
  /// - Throws: `JournalError`; none of the records is then in the journal.
  func commit(_ records: [DeviceRecord]) throws(JournalError)

  /// Returns what was repaired since the last call, without the journal's name.
  func takeNotices() -> [String]

  func newestLocations() throws(JournalError) -> [Location]

  /// The stored locations of each device in the given number of seconds up to its newest, and the last five before
  /// them, ordered by name and time.
  func recentLocations(within seconds: Double) throws(JournalError) -> [Location]

  func lastCrossings() throws(JournalError) -> [RegionCrossing]
}

/// A device's message, for a journal of many devices.
///
/// The device is `deviceIdentifier` of the record's location. The device, the time and the number make a record unique:
/// a repeated message is one row, and two different fixes in one second are two.
public struct DeviceRecord: Sendable, Hashable {
  /// The location or the crossing, with its device.
  public var record: JournalRecord
  /// A number computed from the message's content.
  public var message: Int64
  /// The time of arrival on the host's clock.
  public var received: Date
  /// Whether the device's clock is ahead of the host's by more than network delay explains. Such a location never
  /// becomes its device's newest.
  public var isAhead: Bool

  /// Creates a record.
  public init(_ record: JournalRecord, message: Int64, received: Date, isAhead: Bool = false) {
    (self.record, self.message, self.received, self.isAhead) = (record, message, received, isAhead)
  }
}

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

  deinit { try? file.finish() }

  package func commit(_ records: [DeviceRecord]) throws(JournalError) {
    var newest: [String: (index: Int, time: Date)] = [:]
    for index in records.indices where !records[index].isAhead {
      guard case .location(let location) = records[index].record, let time = location.timestamp,
        let device = location.sourceInformation?.deviceIdentifier
      else { continue }
      if let last = newest[device]?.time, last > time { continue }
      newest[device] = (index, time)
    }
    try file.commit { insertion, sequence throws(JournalError) in
      for record in records { try insertion.keep(record, after: &sequence) }
      // In the order of names, so that the same records always write the same pages.
      for (_, last) in newest.sorted(by: { $0.key < $1.key }) {
        if case .location(let location) = records[last.index].record { try insertion.noteNewest(location) }
      }
    }
    _ = file.enforceLimit()
  }

  package func takeNotices() -> [String] { file.takeNotices() }

  package func newestLocations() throws(JournalError) -> [Location] { try file.read(DeviceTables.newestLocations) }

  package func recentLocations(within seconds: Double) throws(JournalError) -> [Location] {
    try file.read { connection throws(JournalError) in try DeviceTables.recentLocations(connection, within: seconds) }
  }

  package func lastCrossings() throws(JournalError) -> [RegionCrossing] { try file.read(DeviceTables.lastCrossings) }
}
