public import LocationKit

/// The limits that define a stop and a climb.
public struct TrackSettings: Sendable, Hashable {
  /// Seconds at one place after which the stay is a stop.
  public var stopAfter = 300.0
  /// Metres, beyond the accuracy of the fixes, within which the fixes of a stop lie.
  public var stopWithin: LocationDistance = 50
  /// Metres by which the altitude has to turn before it counts as ascent or descent.
  public var climbThreshold: LocationDistance = 10

  /// Creates the usual settings.
  public init() {}
}
