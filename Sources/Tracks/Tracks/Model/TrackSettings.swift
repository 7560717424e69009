public import LocationKit

/// What counts as a stop, a gap and a climb.
public struct TrackSettings: Sendable, Hashable {
  /// Seconds at one place after which the stay is a stop.
  public var stopAfter = 300.0
  /// Metres, beyond the accuracy of the fixes, within which the fixes of a stop lie.
  public var stopWithin: LocationDistance = 50
  /// Seconds between two fixes after which there is a gap between them, even though the recording does not say so.
  public var gapAfter = 300.0
  /// Metres by which the altitude has to turn before it counts as ascent or descent.
  public var climbThreshold: LocationDistance = 10

  /// Creates the usual settings.
  public init() {}
}
