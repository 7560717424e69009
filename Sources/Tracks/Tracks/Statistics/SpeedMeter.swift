import FoundationEssentials
public import LocationKit

/// The speed at each fix of a track: the receiver's, else from positions.
///
/// A receiver measures its speed by Doppler shift, far better than positions give it. Where a fix has no speed, it is the
/// geodesic from the last fix that lies at least three seconds back, by the time between them; over a shorter time the
/// noise of the positions would count as speed. Between such fixes the last reading holds.
public struct SpeedMeter: Sendable {
  /// Seconds that positions lie apart, at least.
  static let shortestStep = 3.0
  /// Seconds for which the receiver's speed at their end stands; it says nothing of a longer way.
  static let longestStep = 30.0

  /// How fast it was on the way to a fix.
  struct Mean {
    /// Metres per second.
    var speed: LocationSpeed
    /// Seconds from the fix that it was measured from, which may lie some fixes back.
    var seconds: Double
  }

  /// Where and when the next speed is measured from.
  private var anchor: (coordinate: LocationCoordinate2D, time: Date)?
  private var last: LocationSpeed?
  /// How fast it was on the way to the last fix; `nil` while that is unknown. Their mean by time is the average speed, and
  /// the noise of a resting receiver's positions is not in it.
  private(set) var mean: Mean?

  /// Creates a meter.
  public init() {}

  /// Takes the next fix and returns the speed there in metres per second; `nil` while it is unknown.
  public mutating func add(_ fix: Location) -> LocationSpeed? {
    mean = nil
    let own = fix.speed.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    guard let time = fix.timestamp else { return own }
    guard let from = anchor, time >= from.time else {
      anchor = (fix.coordinate, time)
      last = nil
      return own
    }
    let seconds = time.timeIntervalSince(from.time)
    if let own {
      anchor = (fix.coordinate, time)
      last = nil
      let isLong = seconds > Self.longestStep
      mean = Mean(
        speed: isLong ? fix.coordinate.distance(from: from.coordinate) / seconds : own, seconds: seconds)
      return own
    }
    guard seconds >= Self.shortestStep else { return last }
    let speed = fix.coordinate.distance(from: from.coordinate) / seconds
    mean = Mean(speed: speed, seconds: seconds)
    last = speed
    anchor = (fix.coordinate, time)
    return last
  }

  /// Takes a gap: no speed is measured across it.
  public mutating func addGap() {
    anchor = nil
    last = nil
  }
}
