import Journal
import LocationKit
import Synchronization

/// A journal of many devices that was opened, and what it has of earlier runs.
final class CollectedJournal: Sendable {
  /// Of each device what is needed to go on: its newest location, and with fences those shortly before, in the order of their
  /// times.
  let locations: [Location]
  /// The last crossing of each fence by each device.
  let crossings: [RegionCrossing]
  /// What to say of tables that were lost and are made again.
  let notices: [String]
  private let journal: Mutex<(any DeviceJournal)?>

  /// Seconds before the newest location of a device after which it may be on its way into or out of a fence, three times as long
  /// as that takes.
  private static let memory = 3 * RegionMonitoringPolicy().dwell

  /// Opens the journal, which may wait for a server or a large file.
  ///
  /// - Parameter judge: Who this is to a database when it judges fences.
  init(_ place: JournalPlace, _ options: CollectOptions, judge: String) throws(JournalError) {
    let journal: any DeviceJournal
    switch place {
    case .file(let path):
      journal = try DeviceJournalFile(path: path, limit: options.journalBound.limit)
    case .database(let url):
      let database = try options.database.journal(at: url)
      database.days = options.journalBound.days
      if !options.fences.isEmpty { database.judge = judge }
      // The tables are made now, and not by the first message.
      try database.commit([])
      journal = database
    }
    notices = journal.takeNotices().map { "\(journal.name) \($0)" }
    let newest = try journal.newestLocations()
    if options.fences.isEmpty {
      (locations, crossings) = (newest, [])
    } else {
      let recent = try journal.recentLocations(within: Self.memory)
      let found = Set(recent.map(\.sourceInformation?.deviceIdentifier))
      locations = recent + newest.filter { !found.contains($0.sourceInformation?.deviceIdentifier) }
      crossings = try journal.lastCrossings()
    }
    self.journal = Mutex(journal)
  }

  /// The journal, which one thread has from now on; `nil` the second time.
  func take() -> sending (any DeviceJournal)? {
    journal.withLock { journal in
      let taken = journal
      journal = nil
      return taken
    }
  }
}
