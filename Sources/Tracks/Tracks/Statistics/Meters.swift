import FoundationEssentials
public import LocationKit

/// The speed at each fix of a track: the receiver's own, else from positions.
///
/// A receiver measures its speed by Doppler shift, far better than positions show it. For a fix without a speed it is
/// the geodesic from the last fix that lies at least three seconds back, divided by the time between them. Over a
/// shorter time the noise of the positions would count as speed. Between such fixes the last reading holds.
public struct SpeedMeter: Sendable {
  /// The least number of seconds between positions that are compared.
  static let shortestStep = 3.0
  /// The greatest number of seconds that the receiver's speed at their end stands for; it does not describe a longer
  /// way.
  static let longestStep = 30.0

  /// The mean speed on the way to a fix.
  struct Mean {
    /// Metres per second.
    var speed: LocationSpeed
    /// The seconds from the fix that it was measured from, which may lie some fixes back.
    var seconds: Double
  }

  /// The place and time that the next speed is measured from.
  private var anchor: (coordinate: LocationCoordinate2D, time: Date)?
  private var last: LocationSpeed?
  /// The mean speed on the way to the last fix; `nil` while it is unknown. The average speed is their mean by time,
  /// which excludes the noise of a resting receiver's positions.
  private(set) var mean: Mean?

  /// Creates a meter.
  public init() {}

  /// Adds the next fix and returns the speed there in metres per second; `nil` while it is unknown.
  public mutating func add(_ fix: Location) -> LocationSpeed? {
    mean = nil
    let own = fix.speed.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    guard let time = fix.timestamp else { return own }
    let from = anchor.flatMap { $0.time <= time ? $0 : nil }
    let seconds = from.map { time.timeIntervalSince($0.time) } ?? 0
    if own == nil, from != nil, seconds < Self.shortestStep { return last }
    anchor = (fix.coordinate, time)
    last = nil
    guard let from else { return own }
    if let own, seconds <= Self.longestStep {
      mean = Mean(speed: own, seconds: seconds)
      return own
    }
    let speed = fix.coordinate.distance(from: from.coordinate) / seconds
    mean = Mean(speed: speed, seconds: seconds)
    if own == nil { last = speed }
    return own ?? speed
  }

  /// Adds a gap: no speed is measured across it.
  public mutating func addGap() { anchor = nil }
}

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
  public init(threshold: LocationDistance) { self.threshold = threshold }

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
