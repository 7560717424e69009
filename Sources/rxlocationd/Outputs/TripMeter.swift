import LocationKit
import MapPage
import Tracks

/// Measures the current trip by `track`'s definitions: it began with the trail, or at the end of the last stop.
@MainActor
struct TripMeter {
  private var summarizer = TrackSummarizer()

  /// Starts with the trail on the page.
  init(_ trail: Trail) {
    trail.forEachLocation { add($0) }
  }

  /// The trip; `nil` at a stop.
  var trip: MapTrip? {
    summarizer.currentTrip.map { MapTrip(start: $0.start, distance: $0.distance, duration: $0.duration) }
  }

  /// Adds a fix; `nil` means that the fix was lost and the path to the next one is unknown.
  mutating func add(_ location: Location?) {
    summarizer.add(location.map { .fix($0) } ?? .gap)
    // Finished parts are not needed here, and would grow for months.
    summarizer.parts = []
  }
}
