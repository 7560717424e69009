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

/// The area between two parallels and two meridians that holds a track.
public struct TrackBounds: Sendable, Hashable {
  /// Degrees: the southernmost latitude.
  public private(set) var south: LocationDegrees
  /// Degrees: the northernmost latitude.
  public private(set) var north: LocationDegrees
  /// Degrees, -180 ..< 180: the meridian at which the area begins.
  public private(set) var west: LocationDegrees
  /// Degrees: the meridian at which the area ends. It is above 180 if the area crosses the antimeridian, so it is never
  /// less than `west`.
  public private(set) var east: LocationDegrees

  /// Creates the bounds of one point.
  public init(_ coordinate: LocationCoordinate2D) {
    south = coordinate.latitude
    north = coordinate.latitude
    west = coordinate.longitude == 180 ? -180 : coordinate.longitude
    east = west
  }

  /// Grows to the nearer side, so that the bounds of a track across the antimeridian stay narrow.
  public mutating func include(_ coordinate: LocationCoordinate2D) {
    south = min(south, coordinate.latitude)
    north = max(north, coordinate.latitude)
    var longitude = coordinate.longitude
    if longitude < west { longitude += 360 }
    guard longitude > east else { return }
    let eastward = longitude - east
    let westward = west - (longitude - 360)
    if eastward <= westward {
      east = longitude
    } else {
      west -= westward
      if west < -180 {
        west += 360
        east += 360
      }
    }
    if east - west >= 360 { (west, east) = (-180, 180) }
  }
}
