public import LocationKit

/// Ascent and descent against the noise of altitudes.
///
/// The altitude of a resting receiver wanders by metres, so differences of successive fixes add up to climbs that never
/// happened. The meter counts the way between turning points instead: the altitude has turned when it has come back by
/// the threshold from its highest or lowest value since the last turn. 10 m is the threshold that Strava states for
/// recordings without a barometer.
///
///     var meter = ClimbMeter(threshold: 10)
///     for altitude in [100.0, 104, 99, 130, 127, 90] { meter.add(altitude) }
///     // meter.ascent is 31 (from 99 to 130), meter.descent is 40.
public struct ClimbMeter: Sendable, Hashable {
  private let threshold: LocationDistance
  private var confirmedAscent: LocationDistance = 0
  private var confirmedDescent: LocationDistance = 0
  /// The last turning point; before the first, the lowest and the highest value so far.
  private var low = LocationDistance.infinity
  private var high = -LocationDistance.infinity
  private var isRising: Bool?

  /// Creates a meter; the threshold is in metres.
  public init(threshold: LocationDistance) {
    self.threshold = threshold
  }

  /// Adds the next altitude in metres. Values that are not finite are ignored.
  public mutating func add(_ altitude: LocationDistance) {
    guard altitude.isFinite else { return }
    if isRising != false { high = max(high, altitude) }
    if isRising != true { low = min(low, altitude) }
    if isRising != true, altitude - low >= threshold {
      if isRising == false { confirmedDescent += high - low }
      (isRising, high) = (true, altitude)
    } else if isRising != false, high - altitude >= threshold {
      if isRising == true { confirmedAscent += high - low }
      (isRising, low) = (false, altitude)
    }
  }

  /// Metres gained so far.
  public var ascent: LocationDistance { confirmedAscent + (isRising == true ? leg : 0) }

  /// Metres lost so far, a positive number.
  public var descent: LocationDistance { confirmedDescent + (isRising == false ? leg : 0) }

  /// Metres between the last turning point and the farthest value since.
  private var leg: LocationDistance { high - low }
}
