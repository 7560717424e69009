import LocationKit
import MapPage
import Tracks

/// Finds the trip that is under way, by `track`'s definitions: it began with the daemon, or when the last stop was over.
struct TripMeter {
  private var summarizer = TrackSummarizer()
  private(set) var trip: MapTrip?

  /// Goes on to a fix.
  mutating func add(_ location: Location) {
    summarizer.add(.fix(location))
    // What is over is nobody's business here, and would grow for months.
    summarizer.parts = []
    trip = summarizer.currentTrip.map { MapTrip(start: $0.start, distance: $0.distance, duration: $0.duration) }
  }

  /// The fix is lost: nothing is known of the way to the next one.
  mutating func addGap() { summarizer.add(.gap) }
}
