public import FoundationEssentials
public import LocationKit

/// Figures of a whole track.
public struct TrackStatistics: Sendable, Hashable {
  /// How many fixes there are.
  public var fixCount = 0
  /// How many fixes the receiver has found in a special way, such as with RTK, by that way.
  public var fixesByStatus: [GNSSQuality.Status: Int] = [:]
  /// How many runs of fixes without a gap there are.
  public var segmentCount = 0
  /// The earliest time of a fix; `nil` when no fix has a time.
  public var start: Date?
  /// The latest time of a fix; `nil` when no fix has a time.
  public var end: Date?
  /// Metres: the sum of the geodesics between successive fixes of a segment, outside stops.
  public var distance: LocationDistance = 0
  /// Metres: the same at stops, where it is the drift of a receiver that rests. `distance` is without it.
  public var stoppedDistance: LocationDistance = 0
  /// Seconds between successive fixes of a segment, outside stops and silences. What several segments cover counts once,
  /// so that moving time, stopped time, gap time and silence time are never more than the duration.
  public var movingTime = 0.0
  /// Seconds at stops.
  public var stoppedTime = 0.0
  /// Seconds in gaps, outside stops.
  public var gapTime = 0.0
  /// Metres: the sum of the geodesics across gaps, outside stops. `distance` is without them.
  public var gapDistance: LocationDistance = 0
  /// Seconds in silences that were no moving time, outside stops.
  public var silenceTime = 0.0
  /// Metres: the way across these silences. It is part of `distance`, and of no `movingDistance`.
  public var silenceDistance: LocationDistance = 0
  /// Metres per second: the mean of `SpeedMeter`'s readings by time, outside stops; `nil` when there is none.
  public var averageSpeed: LocationSpeed?
  /// Metres per second: the greatest `SpeedMeter` reading outside stops; `nil` when there is none.
  public var greatestSpeed: LocationSpeed?
  /// Metres gained outside stops, by `ClimbMeter`; `nil` when no fix has an altitude.
  public var ascent: LocationDistance?
  /// Metres lost outside stops, a positive number; `nil` when no fix has an altitude.
  public var descent: LocationDistance?
  /// Metres above mean sea level: the lowest altitude of a fix.
  public var lowestAltitude: LocationDistance?
  /// Metres above mean sea level: the highest altitude of a fix.
  public var highestAltitude: LocationDistance?
  /// The smallest area that holds all fixes; `nil` without a fix.
  public var bounds: TrackBounds?

  /// Creates the statistics of nothing.
  public init() {}

  /// Metres in `movingTime`, by the speeds that the average and the greatest speed are of: the average speed times the
  /// moving time; `nil` when there is no such speed. Where positions wander it is less than `distance`.
  public var movingDistance: LocationDistance? { averageSpeed.map { $0 * movingTime } }

  /// Seconds from the earliest to the latest fix; `nil` when no fix has a time.
  public var duration: Double? {
    guard let start, let end else { return nil }
    return end.timeIntervalSince(start)
  }
}
