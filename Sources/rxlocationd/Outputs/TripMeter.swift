import LocationKit
import MapPage
import Tracks

/// Finds the trip that is under way, by `track`'s definitions: it began with the trail, or when the last stop was over.
@MainActor
struct TripMeter {
  private var summarizer = TrackSummarizer()

  /// Begins with the way that the page shows.
  init(_ trail: Trail) {
    trail.forEachLocation { add($0) }
  }

  /// The trip; `nil` at a stop.
  var trip: MapTrip? {
    summarizer.currentTrip.map { MapTrip(start: $0.start, distance: $0.distance, duration: $0.duration) }
  }

  /// Goes on to a fix; `nil` says that it is lost, and nothing is known of the way to the next one.
  mutating func add(_ location: Location?) {
    summarizer.add(location.map { .fix($0) } ?? .gap)
    // What is over is nobody's business here, and would grow for months.
    summarizer.parts = []
  }
}
