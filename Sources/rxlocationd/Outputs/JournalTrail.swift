import Journal
import LocationKit
import MapPage
import Platform
import SystemPackage

/// The way of earlier runs, which the map page shows before that of this one.
enum JournalTrail {
  /// Rows that are read at most: a day at 10 Hz, and a little more for crossings and errors.
  private static let rowLimit: Int64 = 1_000_000
  private static let pieceSize = 1000

  /// Reads the trail on a thread of its own, which a journal of a day takes a while, and has the page show it.
  ///
  /// - Parameter onFailure: Takes why it cannot be read.
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
    let reader = try JournalReader(path: path)
    let newest = try reader.newestSequence()
    var sequence = max(0, newest - rowLimit)
    while sequence < newest {
      let entries = try reader.entries(after: sequence, limit: pieceSize)
      guard let last = entries.last else { break }
      for entry in entries where entry.sequence <= newest {
        switch entry.record {
        case .location(let location): trail.append(location)
        case .error(let error, _) where error.code == .locationUnknown: trail.interrupt()
        case .error, .crossing: break
        }
      }
      sequence = last.sequence
    }
    return trail
  }
}
