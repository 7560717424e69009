import Journal
import LocationKit
import Synchronization

/// An open journal of many devices, with the state of earlier runs.
final class CollectedJournal: Sendable {
  /// The seconds before its newest location in which a device may have been entering or leaving a fence.
  static let judgedAgain = 3 * RegionMonitoringPolicy().dwell

  /// The locations of each device that are needed to continue, ordered by time: its newest, and with fences those
  /// shortly before it and a few before these.
  let locations: [Location]
  let crossings: [RegionCrossing]
  let notices: [String]
  private let journal: Mutex<(any DeviceJournal)?>

  /// Opens the journal; may wait for a server or a large file. `judge` names this program in a database when it judges
  /// fences.
  convenience init(_ place: JournalPlace, _ options: CollectSettings, judge: String) throws(JournalError) {
    switch place {
    case .file(let path):
      try self.init(DeviceJournalFile(path: path, limit: options.journalBound.limit), options)
    case .database(let url):
      let database = try options.database.journal(at: url)
      database.days = options.journalBound.days
      if !options.fences.isEmpty { database.judge = judge }
      // Create the tables now rather than with the first message.
      try database.commit([])
      try self.init(database, options)
    }
  }

  init(_ journal: sending any DeviceJournal, _ options: CollectSettings) throws(JournalError) {
    notices = journal.takeNotices().map { "\(journal.name) \($0)" }
    let newest = try journal.newestLocations()
    if options.fences.isEmpty {
      (locations, crossings) = (newest, [])
    } else {
      // A few earlier locations tell on which side of a fence the device was.
      let recent = try journal.recentLocations(within: Self.judgedAgain)
      let found = Set(recent.map(\.sourceInformation?.deviceIdentifier))
      locations = recent + newest.filter { !found.contains($0.sourceInformation?.deviceIdentifier) }
      crossings = try journal.lastCrossings()
    }
    self.journal = Mutex(journal)
  }

  /// Hands the journal over to one thread; `nil` the second time.
  func handOver() -> sending (any DeviceJournal)? { journal.withLock { $0.take() } }
}
