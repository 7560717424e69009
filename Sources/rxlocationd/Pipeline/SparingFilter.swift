import FoundationEssentials
import LocationKit

/// Leaves out positions that say nothing new, for `--spare-disk`: those near the last one kept, for four minutes. A longer
/// silence would look like a gap in the track.
@MainActor
final class SparingFilter {
  private static let metres = 10.0
  private static let seconds = 240.0
  private var last: (coordinate: LocationCoordinate2D, time: Date)?

  func keeps(_ coordinate: LocationCoordinate2D, at time: Date?) -> Bool {
    if let last, let time, (0..<Self.seconds).contains(time.timeIntervalSince(last.time)),
      coordinate.distance(from: last.coordinate) < Self.metres
    {
      return false
    }
    last = time.map { (coordinate, $0) }
    return true
  }

  /// Keeps the next position, because the fix was lost before it.
  func reset() { last = nil }
}
