public import FoundationEssentials
public import LocationKit

/// The part of a track between two stops, or between a stop and an end of the track.
///
/// A gap or a silence of at least `TrackSettings.stopAfter` ends a trip as well. A trip has at least two fixes.
public struct Trip: Sendable, Hashable {
  /// The time of its first fix.
  public var start: Date
  /// The time of its last fix.
  public var end: Date
  /// The position of its first fix.
  public var startCoordinate: LocationCoordinate2D
  /// The position of its last fix.
  public var endCoordinate: LocationCoordinate2D
  /// The fixes of the stream that it includes; the first fix of the stream is 0. It shares its first fix with the stop
  /// before it and its last one with the stop after it.
  public var fixes: Range<Int>
  /// Metres between successive fixes, without gaps.
  public var distance: LocationDistance
  /// Seconds between successive fixes, without gaps and silences.
  public var movingTime: Double
  /// Metres per second: the mean of `SpeedMeter`'s readings by time; `nil` without readings.
  public var averageSpeed: LocationSpeed?
  /// Metres per second: the greatest `SpeedMeter` reading; `nil` without readings.
  public var greatestSpeed: LocationSpeed?
  /// Metres gained, by `ClimbMeter`; `nil` if no fix has an altitude.
  public var ascent: LocationDistance?
  /// Metres lost, a positive number; `nil` if no fix has an altitude.
  public var descent: LocationDistance?

  /// Creates a trip.
  public init(
    start: Date, end: Date, startCoordinate: LocationCoordinate2D, endCoordinate: LocationCoordinate2D,
    fixes: Range<Int>, distance: LocationDistance, movingTime: Double, averageSpeed: LocationSpeed? = nil,
    greatestSpeed: LocationSpeed? = nil, ascent: LocationDistance? = nil, descent: LocationDistance? = nil
  ) {
    self.start = start
    self.end = end
    self.startCoordinate = startCoordinate
    self.endCoordinate = endCoordinate
    self.fixes = fixes
    self.distance = distance
    self.movingTime = movingTime
    self.averageSpeed = averageSpeed
    self.greatestSpeed = greatestSpeed
    self.ascent = ascent
    self.descent = descent
  }

  /// Metres in `movingTime`: the average speed times the moving time; `nil` without a speed.
  public var movingDistance: LocationDistance? { averageSpeed.map { $0 * movingTime } }

  /// Seconds from start to end.
  public var duration: Double { end.timeIntervalSince(start) }
}
