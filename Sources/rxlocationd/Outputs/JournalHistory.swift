import Journal
import LocationKit
import MapPage
import TrackDocuments
import Tracks

/// Recordings from the journal for a day or another period on the map page.
struct JournalHistory: Sendable {
  /// The journal's path.
  let path: String

  /// The track, statistics and places of a period, computed as in `track`. Waits for the disk.
  func recording(of period: MapPeriod, while goesOn: () -> Bool) throws(MapHistoryError) -> MapRecording {
    var drawing = TrackDrawing(settings: TrackSettings())
    var gaps = GapFinder()
    var isEmpty = true
    do throws(JournalError) {
      try JournalReader(path: path).forEachLocation(.way, since: period.since, until: period.until, while: goesOn) {
        location in
        if location != nil { isEmpty = false }
        gaps.add(location.map { .fix($0) } ?? .gap) { drawing.add($0) }
        return true
      }
    } catch {
      throw MapHistoryError(error.message)
    }
    gaps.finish { drawing.add($0) }
    guard !isEmpty else { return MapRecording(trail: TrailLine(), figures: [], places: []) }
    let zone = TrackTimeZone { time in
      let change = period.clock.change(at: time)
      return (change.offset, change.name)
    }
    return drawing.recording("", zone, period.units)
  }
}
