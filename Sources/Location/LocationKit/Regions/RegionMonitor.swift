#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The state of one region that is watched: fixes in, changes of state out.
struct RegionMonitor {
  let region: CircularRegion
  private(set) var state = RegionState.unknown
  private let cosineOfLatitude: Double
  /// The fixes on the new side, if the last one was there.
  private var crossing: Crossing?

  private struct Crossing {
    let start: Double
    var last: Double
    /// Metres beyond the boundary, averaged over the time of about half a dwell.
    var distance: Double
  }

  init(_ region: CircularRegion) {
    self.region = region
    cosineOfLatitude = cos(region.center.latitude * .pi / 180)
  }

  /// Watches a region in place of another one; the state carries over when the circle is the same.
  init(_ region: CircularRegion, continuing other: RegionMonitor) {
    self.init(region)
    guard region.center == other.region.center, region.radius == other.region.radius else { return }
    (state, crossing) = (other.state, other.crossing)
  }

  /// Takes a fix at `now` on the source's clock; returns whether the state has changed.
  mutating func update(_ location: Location, at now: Double, policy: RegionMonitoringPolicy) -> Bool {
    let accuracy = location.horizontalAccuracy ?? 0
    guard accuracy <= policy.accuracy else { return false }
    if state == .outside && isFarAway(location.coordinate) {
      crossing = nil
      return false
    }
    // Metres within the boundary, negative beyond it.
    let depth = region.radius - region.center.distance(from: location.coordinate)
    switch state {
    case .unknown:
      guard abs(depth) >= accuracy else { return false }
      state = depth >= 0 ? .inside : .outside
      return true
    case .outside:
      let margin = min(policy.margin, region.radius / 2)
      return cross(to: .inside, by: depth, margin: max(margin, accuracy), dwell: policy.dwell, at: now)
    case .inside:
      return cross(to: .outside, by: -depth, margin: max(policy.margin, accuracy), dwell: policy.dwell, at: now)
    }
  }

  private mutating func cross(
    to newState: RegionState, by distance: Double, margin: Double, dwell: Double, at now: Double
  ) -> Bool {
    guard distance > 0 else {
      crossing = nil
      return false
    }
    var crossing = crossing ?? Crossing(start: now, last: now, distance: distance)
    let share = dwell > 0 ? 1 - exp((crossing.last - now) * 2 / dwell) : 1
    crossing.distance += share * (distance - crossing.distance)
    crossing.last = now
    self.crossing = crossing
    guard now - crossing.start >= dwell, crossing.distance >= margin else { return false }
    (state, self.crossing) = (newState, nil)
    return true
  }

  /// Whether a point is certainly outside: much cheaper to tell than a geodesic, and so for most regions most of
  /// the time. No line is shorter than the way between the two parallels, of which a degree measures 110574 m or
  /// more everywhere; nor than the chord between the two meridians.
  private func isFarAway(_ coordinate: LocationCoordinate2D) -> Bool {
    if abs(coordinate.latitude - region.center.latitude) * 110_574 > region.radius { return true }
    let east = (coordinate.longitude - region.center.longitude).remainder(dividingBy: 360)
    let parallels = (cosineOfLatitude * cos(coordinate.latitude * .pi / 180)).squareRoot()
    return 2 * WGS84.equatorialRadius * parallels * sin(abs(east) * .pi / 360) > region.radius
  }
}
