import Journal
import LocationKit
import MapPage
import Platform
import SystemPackage

/// The trail of earlier runs, which the map page shows before that of this run.
enum JournalTrail {
  /// The most rows to read: a day at 10 Hz, and some more for crossings and errors.
  private static let rowLimit: Int64 = 1_000_000

  /// Reads the trail on its own thread, because a day takes a while, and shows it on the page.
  ///
  /// - Parameter onFailure: Receives the reason if the journal cannot be read.
  @MainActor
  static func show(
    on page: MapPage, fromJournal path: String, onFailure: @escaping @Sendable (String) -> Void
  ) {
    do throws(Errno) {
      try Thread.start {
        do throws(JournalError) {
          let trail = try read(path)
          Task { @MainActor in page.show(earlier: trail) }
        } catch {
          onFailure(error.message)
        }
      }
    } catch {
      onFailure(error.description)
    }
  }

  private static func read(_ path: String) throws(JournalError) -> TrailLine {
    var trail = TrailLine()
    try JournalReader(path: path).forEachLocation(.way, inNewest: rowLimit) { location in
      if let location { trail.append(location) } else { trail.interrupt() }
      return true
    }
    return trail
  }
}
