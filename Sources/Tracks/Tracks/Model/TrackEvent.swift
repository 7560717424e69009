public import LocationKit

/// What a recording holds, in its order: fixes, and the places where there was no fix.
///
/// A track is a stream of these events. The fixes between two gaps are a segment; a stream may begin or end with a gap,
/// and two gaps in a row are one. A silence stands within a segment.
public enum TrackEvent: Sendable, Hashable {
  /// Where the receiver was. A fix without a timestamp counts for distance only.
  case fix(Location)
  /// The line is interrupted: the receiver had no fix or was off, a segment of a GPX file or an input ended. What lies between the
  /// fixes around it is neither distance nor moving time.
  case gap
  /// The next fix comes far later than the pace of the recording lets expect, such as after a night. The line goes on, as
  /// a segment of a GPX file does, so that the way across is distance; it is moving time only where it was as fast as the rest.
  case silence
}
