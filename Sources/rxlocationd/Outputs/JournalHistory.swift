import Journal
import LocationKit
import MapPage
import TrackDocuments
import Tracks

/// What the map page shows of a day, or of any other time, that the journal has kept.
struct JournalHistory: Sendable {
  /// The journal's path.
  let path: String

  /// The way, the figures and the places of a period, as `track` finds them. Waits for the disk.
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
