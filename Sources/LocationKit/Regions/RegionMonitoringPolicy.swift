/// What it takes until a `LocationManager` believes that the boundary of a region was crossed.
///
/// Core Location's rule: the boundary has been crossed, by a minimum distance, and for at least 20 seconds. It
/// names no figure for the distance. A crossing counts when since the last fix on the old side
///
/// - `dwell` seconds have passed, and
/// - one fix was beyond the boundary by `margin`, and by its own horizontal accuracy.
///
/// So a stay inside that is shorter than `dwell` is not reported at all.
public struct RegionMonitoringPolicy: Sendable, Hashable, Codable {
  /// Metres beyond the boundary that a fix must be; inwards at most half of the radius, so that a small region
  /// can be entered at all.
  public var margin: LocationDistance
  /// Metres: fixes whose horizontal accuracy is worse are ignored. A fix of unknown accuracy is believed.
  public var accuracy: LocationAccuracy
  /// Seconds on the new side, on the source's clock.
  public var dwell: Double

  /// Creates a policy. The defaults are 25 m, which is three standard deviations of a mediocre receiver, 100 m,
  /// and Core Location's 20 s.
  public init(margin: LocationDistance = 25, accuracy: LocationAccuracy = 100, dwell: Double = 20) {
    self.margin = margin
    self.accuracy = accuracy
    self.dwell = dwell
  }
}
