import FoundationEssentials
import Glibc

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

/// The side of a region's boundary on which the receiver was when somebody last knew.
struct RegionAssumption {
  var state: RegionState
  /// The first fix must be of this time for the assumption to count; `nil` for any. A fix without a time does not refute it.
  var times: ClosedRange<Date>?

  func state(for fix: Location) -> RegionState {
    guard let times, let time = fix.timestamp else { return state }
    return times.contains(time) ? state : .unknown
  }
}

/// The state of one region that is watched: fixes in, changes of state out.
struct RegionMonitor {
  /// What a fix has changed.
  enum Change {
    /// The state is known now, and no crossing was missed.
    case determined
    /// The boundary was crossed.
    case crossed
  }

  let region: CircularRegion
  private(set) var state = RegionState.unknown
  private let center: EarthPoint
  /// The fixes on the new side, if the last one was there.
  private var crossing: Crossing?
  /// Whether the receiver is accurate enough for the region; `nil` until that is decided.
  private var isResolvable: Bool?
  private var firstFix: Double?
  private var bestAccuracy = LocationAccuracy.infinity
  /// What the first fix is compared with.
  private var assumption: RegionAssumption?
  /// Metres within the boundary at the last fix, or less, and beyond it, or more, as a negative number; zero when it was
  /// not looked at.
  private var depth: LocationDistance = 0

  private struct Crossing {
    let start: Double
    var last: Double
    /// Metres beyond the boundary, averaged over the time of about half a dwell.
    var distance: Double
  }

  init(_ region: CircularRegion, assuming assumption: RegionAssumption? = nil) {
    self.region = region
    self.assumption = assumption
    center = EarthPoint(region.center)
  }

  /// Watches a region in place of another one; the state carries over when the circle is the same.
  init(_ region: CircularRegion, continuing other: RegionMonitor) {
    self.init(region)
    guard region.center == other.region.center, region.radius == other.region.radius else { return }
    (state, crossing, assumption) = (other.state, other.crossing, other.assumption)
    (isResolvable, firstFix, bestAccuracy) = (other.isResolvable, other.firstFix, other.bestAccuracy)
  }

  /// Takes a fix; returns an error, once, when no fix of a whole dwell was accurate enough for the region.
  ///
  /// A crossing counts when the fix is more accurate than it is far beyond the boundary, so nobody can be seen to be
  /// inside a region whose radius is smaller than the accuracy.
  mutating func judgeAccuracy(
    of location: Location, at now: Double, policy: RegionMonitoringPolicy
  ) -> LocationError? {
    guard isResolvable == nil else { return nil }
    let needed = min(region.radius, policy.accuracy)
    bestAccuracy = min(bestAccuracy, location.horizontalAccuracy ?? 0)
    let start = firstFix ?? now
    firstFix = start
    if bestAccuracy <= needed { isResolvable = true }
    guard isResolvable == nil, now - start >= policy.dwell else { return nil }
    isResolvable = false
    let metres = { (value: Double) in "\((value * 10).rounded() / 10) m" }
    return LocationError(
      .regionMonitoringFailure,
      "region \(region.identifier) with its radius of \(metres(region.radius)) needs a horizontal accuracy of "
        + "\(metres(needed)) or better; the receiver's best so far is \(metres(bestAccuracy))")
  }

  /// Takes a fix at `now` on the source's clock, which is at `point`; returns what that has changed.
  mutating func update(
    _ location: Location, _ point: EarthPoint, at now: Double, policy: RegionMonitoringPolicy
  ) -> Change? {
    let accuracy = location.horizontalAccuracy ?? 0
    depth = 0
    guard accuracy <= policy.accuracy else { return nil }
    if state == .outside {
      depth = region.radius - center.leastDistance(to: point)
      guard depth >= 0 else {
        crossing = nil
        return nil
      }
    }
    depth = region.radius - region.center.distance(from: location.coordinate)
    switch state {
    case .unknown:
      guard abs(depth) >= accuracy else { return nil }
      state = depth >= 0 ? .inside : .outside
      let assumed = assumption?.state(for: location) ?? .unknown
      return assumed == .unknown || assumed == state ? .determined : .crossed
    case .outside:
      let margin = min(policy.margin, region.radius / 2)
      let hasCrossed = cross(to: .inside, by: depth, margin: max(margin, accuracy), dwell: policy.dwell, at: now)
      return hasCrossed ? .crossed : nil
    case .inside:
      let margin = max(policy.margin, accuracy)
      return cross(to: .outside, by: -depth, margin: margin, dwell: policy.dwell, at: now) ? .crossed : nil
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

  /// Metres that the receiver can move from its last fix before any fix can change anything here; zero when the next one can.
  ///
  /// When the state is known, nothing is half confirmed and the accuracy has been judged, a fix on the same side of the
  /// boundary changes nothing, whatever its accuracy, its time and the policy. A millimetre less is more than the distances
  /// can be wrong by.
  var clearance: LocationDistance {
    guard isResolvable != nil, crossing == nil, state != .unknown else { return 0 }
    return max(0, (state == .inside ? depth : -depth) - 0.001)
  }
}
