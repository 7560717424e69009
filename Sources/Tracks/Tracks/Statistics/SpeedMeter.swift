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

  private var anchor: Location?
  private var last: LocationSpeed?

  /// Creates a meter.
  public init() {}

  /// Takes the next fix and returns the speed there in metres per second; `nil` while it is unknown.
  public mutating func add(_ fix: Location) -> LocationSpeed? {
    if let speed = fix.speed {
      anchor = fix
      last = nil
      return speed
    }
    guard let time = fix.timestamp else { return nil }
    guard let from = anchor, let start = from.timestamp, time >= start else {
      anchor = fix
      return nil
    }
    let seconds = time.timeIntervalSince(start)
    guard seconds >= Self.shortestStep else { return last }
    last = fix.distance(from: from) / seconds
    anchor = fix
    return last
  }

  /// Takes a gap: no speed is measured across it.
  public mutating func addGap() {
    anchor = nil
    last = nil
  }
}
