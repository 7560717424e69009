/// What it takes until a `LocationManager` believes that the boundary of a region was crossed.
///
/// Core Location's rule: the boundary must have been crossed, and the receiver must have stayed a minimum distance
/// beyond it for at least 20 seconds. It names no figure for the distance. Here a crossing counts when
///
/// - for `dwell` seconds no fix was on the old side,
/// - the fixes of about the last half of that time are beyond the boundary by `margin` on average, and
/// - the fix that decides is more accurate than that average is beyond the boundary.
///
/// So a stay that is shorter than `dwell` is not reported at all: a program that wants to hear of a car that
/// passes through a small region sets a shorter one.
public struct RegionMonitoringPolicy: Sendable, Hashable, Codable {
  /// Metres beyond the boundary, on average; inwards at most half of the radius, so that a small region
  /// can be entered at all.
  public var margin: LocationDistance
  /// Metres: fixes whose horizontal accuracy is worse are ignored. A fix of unknown accuracy is believed.
  public var accuracy: LocationAccuracy
  /// Seconds on the new side, on the source's clock.
  public var dwell: Double

  /// Creates a policy. The defaults are 25 m, three standard deviations of a receiver that is off by 8 m, then
  /// 100 m, and Core Location's 20 s.
  public init(margin: LocationDistance = 25, accuracy: LocationAccuracy = 100, dwell: Double = 20) {
    self.margin = margin
    self.accuracy = accuracy
    self.dwell = dwell
  }
}
