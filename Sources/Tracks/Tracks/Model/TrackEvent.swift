public import LocationKit

/// The contents of a recording in their order: fixes, and the places without a fix.
///
/// A track is a stream of these events. The fixes between two gaps are a segment. A stream may begin or end with a gap,
/// and two gaps in a row are one. A silence stands within a segment.
public enum TrackEvent: Sendable, Hashable {
  /// The position of the receiver. A fix without a timestamp counts for distance only.
  case fix(Location)
  /// The line is interrupted: the receiver had no fix or was off, or a segment of a GPX file or an input ended. The way
  /// between the fixes around a gap counts neither as distance nor as moving time.
  case gap
  /// The next fix comes far later than the pace of the recording suggests, such as after a night. The line goes on, as
  /// a segment of a GPX file does, so the way across is distance. It is moving time only if it was as fast as the rest.
  case silence
}

/// The name that a recording gives to a track, or to a waypoint beside it.
public struct TrackName: Sendable, Hashable {
  /// The name, without white space at its ends.
  public var text: String
  /// The position of a waypoint; `nil` for a track.
  public var coordinate: LocationCoordinate2D?

  /// Creates a name.
  public init(_ text: String, of coordinate: LocationCoordinate2D? = nil) {
    (self.text, self.coordinate) = (text, coordinate)
  }
}

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
