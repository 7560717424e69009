public import FoundationEssentials
public import LocationKit

/// Figures of a whole track.
public struct TrackStatistics: Sendable, Hashable {
  /// The number of fixes.
  public var fixCount = 0
  /// The number of fixes by the way in which they were found, for special ways such as RTK.
  public var fixesByStatus: [GNSSQuality.Status: Int] = [:]
  /// The number of runs of fixes without a gap.
  public var segmentCount = 0
  /// The earliest time of a fix; `nil` if no fix has a time.
  public var start: Date?
  /// The latest time of a fix; `nil` if no fix has a time.
  public var end: Date?
  /// Metres: the sum of the geodesics between successive fixes of a segment, outside stops.
  public var distance: LocationDistance = 0
  /// Metres: the same at stops, which is the drift of a receiver at rest. `distance` does not include it.
  public var stoppedDistance: LocationDistance = 0
  /// Seconds between successive fixes of a segment, outside stops and silences. Time that several segments cover counts
  /// once, so moving time, stopped time, gap time and silence time never add up to more than the duration.
  public var movingTime = 0.0
  /// Seconds at stops.
  public var stoppedTime = 0.0
  /// Seconds in gaps, outside stops.
  public var gapTime = 0.0
  /// Metres: the sum of the geodesics across gaps, outside stops. `distance` does not include them.
  public var gapDistance: LocationDistance = 0
  /// Seconds in silences that were not moving time, outside stops.
  public var silenceTime = 0.0
  /// Metres: the way across these silences. `distance` includes it, `movingDistance` does not.
  public var silenceDistance: LocationDistance = 0
  /// Metres per second: the mean of `SpeedMeter`'s readings by time, outside stops; `nil` without readings.
  public var averageSpeed: LocationSpeed?
  /// Metres per second: the greatest `SpeedMeter` reading outside stops; `nil` without readings.
  public var greatestSpeed: LocationSpeed?
  /// Metres gained outside stops, by `ClimbMeter`; `nil` if no fix has an altitude.
  public var ascent: LocationDistance?
  /// Metres lost outside stops, a positive number; `nil` if no fix has an altitude.
  public var descent: LocationDistance?
  /// Metres above mean sea level: the lowest altitude of a fix.
  public var lowestAltitude: LocationDistance?
  /// Metres above mean sea level: the highest altitude of a fix.
  public var highestAltitude: LocationDistance?
  /// The smallest area that holds all fixes; `nil` without a fix.
  public var bounds: TrackBounds?

  /// Creates the statistics of an empty track.
  public init() {}

  /// Metres in `movingTime`: the average speed times the moving time; `nil` without a speed. If positions wander, it is
  /// less than `distance`.
  public var movingDistance: LocationDistance? { averageSpeed.map { $0 * movingTime } }

  /// Seconds from the earliest to the latest fix; `nil` when no fix has a time.
  public var duration: Double? {
    guard let start, let end else { return nil }
    return end.timeIntervalSince(start)
  }
}
