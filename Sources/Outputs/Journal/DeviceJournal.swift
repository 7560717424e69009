public import FoundationEssentials
public import LocationKit

/// What is kept of many devices.
///
/// One thread at a time uses it, and may have to wait for the disk or the server.
public protocol DeviceHistory {
  /// The newest location of each device, in the order of their names.
  func newestLocations() throws(JournalError) -> [Location]

  /// Calls `body` for the locations of a device, in the order of their times.
  ///
  /// - Parameters:
  ///   - device: Which, as a record's member `device` has it.
  ///   - since: The earliest time of a location.
  ///   - until: The time before which locations are.
  ///   - body: Returns whether to go on. It must not use this history.
  /// - Throws: `JournalError`; `body` has had everything that was read before.
  func forEachLocation(
    of device: String, since: Date?, until: Date?, _ body: (Location) -> Bool
  ) throws(JournalError)
}

extension JournalReader: DeviceHistory {}

/// A journal of many devices. Several programs may write one at a time when it is a database of a server.
///
/// One thread at a time uses it, and may have to wait for the disk or the server.
public protocol DeviceJournal: AnyObject {
  /// What a person calls it; never with a password.
  var name: String { get }

  /// Writes records in one transaction. When the call returns, they survive any end of the process. A record that is in the
  /// journal already is not written again. An empty commit connects and makes missing tables.
  ///
  /// - Throws: `JournalError`; none of the records is in the journal then.
  func commit(_ records: [DeviceRecord]) throws(JournalError)

  /// Records that were committed and are lost, because another program removed what kept them.
  var lost: Int { get }

  /// What another program did to the journal and what was repaired since this was asked last, each without the journal's name.
  func takeNotices() -> [String]

  /// The newest location of each device, in the order of their names.
  func newestLocations() throws(JournalError) -> [Location]

  /// Of each device the locations of so many seconds up to its newest, as far as they are kept, in the order of names and
  /// times.
  func recentLocations(within seconds: Double) throws(JournalError) -> [Location]

  /// The last crossing of each fence by each device.
  func lastCrossings() throws(JournalError) -> [RegionCrossing]
}

/// What a device has said, for a journal of many devices.
///
/// The device is `deviceIdentifier` of the record's location. The device, the time and the number make a record unique: a
/// message that comes twice is one row, and two fixes of one second are two.
public struct DeviceRecord: Sendable, Hashable {
  /// The location or the crossing, with its device.
  public var record: JournalRecord
  /// A number that is made of what the message says.
  public var message: Int64
  /// When it came, on the host's clock.
  public var received: Date
  /// Whether the device's clock is ahead of the host's by more than any network's delay explains. Such a location is never the
  /// newest of its device.
  public var isAhead: Bool

  /// Creates a record.
  public init(_ record: JournalRecord, message: Int64, received: Date, isAhead: Bool = false) {
    (self.record, self.message, self.received, self.isAhead) = (record, message, received, isAhead)
  }
}
