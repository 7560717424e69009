import FoundationEssentials
/// The conditions for a `LocationManager` to count a region's boundary as crossed.
///
/// Core Location's rule: the receiver must cross the boundary and stay a minimum distance beyond it for at least 20
/// seconds. Apple does not publish that distance. Here a crossing counts when
///
/// - no fix was on the old side for `dwell` seconds,
/// - the fixes of about the last half of that time are on average `margin` beyond the boundary, and
/// - the accuracy of the deciding fix is better than that average distance.
///
/// A stay shorter than `dwell` is not reported. A program that must notice a car passing through a small region sets a
/// shorter dwell.
public struct RegionMonitoringPolicy: Sendable, Hashable, Codable {
  /// The average metres beyond the boundary. For an entry at most half of the radius counts, so that a small region can
  /// be entered.
  public var margin: LocationDistance
  /// Metres. Fixes whose horizontal accuracy is worse are ignored. A fix of unknown accuracy counts.
  public var accuracy: LocationAccuracy
  /// The seconds on the new side, on the source's clock.
  public var dwell: Double

  /// Creates a policy. The default margin of 25 m is three standard deviations of a receiver with an error of 8 m. The
  /// default dwell is Core Location's 20 s.
  public init(margin: LocationDistance = 25, accuracy: LocationAccuracy = 100, dwell: Double = 20) {
    self.margin = margin
    self.accuracy = accuracy
    self.dwell = dwell
  }
}

/// The last known state of a region, from before the monitoring.
struct RegionAssumption: Sendable {
  var state: RegionState
  /// The assumption counts only if the first fix has a time in this range, or no time; `nil` for any time.
  var times: ClosedRange<Date>?

  func state(for fix: Location) -> RegionState {
    guard let times, let time = fix.timestamp else { return state }
    return times.contains(time) ? state : .unknown
  }
}

/// The state of one monitored region. It turns fixes into changes of state.
struct RegionMonitor: Sendable {
  enum Change {
    /// The state has become known without a crossing.
    case determined
    /// The receiver has crossed the boundary.
    case crossed
  }

  private(set) var region: Region
  private(set) var state = RegionState.unknown
  private let shape: FenceShape
  /// The crossing in progress, if the last fix was on the new side.
  private var crossing: Crossing?
  /// Whether the receiver is accurate enough for the region; `nil` until that is decided.
  private var isResolvable: Bool?
  private var firstFix: Double?
  private var bestAccuracy = LocationAccuracy.infinity
  private var assumption: RegionAssumption?
  /// A lower bound of the metres to the boundary at the last fix: positive inside, negative outside, and zero if it was
  /// not computed.
  private var depth: LocationDistance = 0

  private struct Crossing {
    var start: Double
    var last: Double
    /// The metres beyond the boundary, averaged over about half a dwell.
    var distance: Double
  }

  init(_ region: Region, assuming assumption: RegionAssumption? = nil) {
    self.region = region
    self.assumption = assumption
    shape = FenceShape(region)
  }

  /// Replaces the region, and keeps its state if the shape is the same.
  mutating func replace(with new: Region) {
    if FenceShape(new) == shape { region = new } else { self = RegionMonitor(new) }
  }

  /// Takes a fix at `now`, with its position `point`, and adds the events that follow from it.
  mutating func update(
    _ location: Location, _ point: EarthPoint, at now: Double, policy: RegionMonitoringPolicy,
    _ events: inout [LocationEngine.Event]
  ) {
    if let error = judgeAccuracy(of: location, at: now, policy: policy) {
      events.append(.monitoringFailure(region, error))
    }
    if let change = update(location, point, at: now, policy: policy) {
      events.append(.region(region, state, isCrossed: change == .crossed))
    }
  }

  /// Takes a fix. Returns an error, once, if no fix of a whole dwell was accurate enough for the region.
  ///
  /// A crossing counts if the accuracy of the fix is better than its distance from the boundary. A receiver can
  /// therefore never enter a region whose radius is smaller than the accuracy.
  mutating func judgeAccuracy(of location: Location, at now: Double, policy: RegionMonitoringPolicy) -> LocationError? {
    guard isResolvable == nil else { return nil }
    let needed = min(shape.greatestDepth, policy.accuracy)
    bestAccuracy = min(bestAccuracy, location.horizontalAccuracy ?? 0)
    let start = min(firstFix ?? now, now)
    firstFix = start
    if bestAccuracy <= needed { isResolvable = true }
    guard isResolvable == nil, now - start >= policy.dwell else { return nil }
    isResolvable = false
    let size = if case .circle = shape { "radius" } else { "depth" }
    let metres = { (value: Double) in "\((value * 10).rounded() / 10) m" }
    return LocationError(
      .regionMonitoringFailure,
      "region \(region.identifier) with its \(size) of \(metres(shape.greatestDepth)) needs a horizontal accuracy of "
        + "\(metres(needed)) or better; the receiver's best so far is \(metres(bestAccuracy))")
  }

  /// Takes a fix at `now` on the source's clock, with its position `point`. Returns its effect.
  mutating func update(
    _ location: Location, _ point: EarthPoint, at now: Double, policy: RegionMonitoringPolicy
  ) -> Change? {
    let accuracy = location.horizontalAccuracy ?? 0
    depth = 0
    guard accuracy <= policy.accuracy else { return nil }
    if state == .outside {
      depth = shape.greatestDepth(at: point)
      guard depth >= 0 else {
        crossing = nil
        return nil
      }
    }
    depth = shape.depth(at: location.coordinate, point)
    switch state {
    case .unknown:
      guard abs(depth) >= accuracy else { return nil }
      state = depth >= 0 ? .inside : .outside
      let assumed = assumption?.state(for: location) ?? .unknown
      if assumed == .unknown || assumed == state { return .determined }
      if abs(depth) >= (state == .inside ? entryMargin(policy) : policy.margin) { return .crossed }
      // Within the margin a receiver may be on either side, so the assumption holds until a crossing is certain.
      state = assumed
      return .determined
    case .outside:
      return cross(to: .inside, by: depth, margin: max(entryMargin(policy), accuracy), dwell: policy.dwell, at: now)
    case .inside:
      return cross(to: .outside, by: -depth, margin: max(policy.margin, accuracy), dwell: policy.dwell, at: now)
    }
  }

  private func entryMargin(_ policy: RegionMonitoringPolicy) -> LocationDistance {
    min(policy.margin, shape.greatestDepth / 2)
  }

  private mutating func cross(
    to newState: RegionState, by distance: Double, margin: Double, dwell: Double, at now: Double
  ) -> Change? {
    guard distance > 0 else {
      crossing = nil
      return nil
    }
    var crossing = crossing ?? Crossing(start: now, last: now, distance: distance)
    let share = dwell > 0 ? 1 - C.exp(-max(0, now - crossing.last) * 2 / dwell) : 1
    crossing.distance += share * (distance - crossing.distance)
    // The time may go back.
    (crossing.start, crossing.last) = (min(crossing.start, now), now)
    self.crossing = crossing
    guard now - crossing.start >= dwell, crossing.distance >= margin else { return nil }
    (state, self.crossing) = (newState, nil)
    return .crossed
  }

  /// The metres that the receiver can move from its last fix without any effect here; zero if the next fix can have
  /// one.
  ///
  /// Once the state is known, no crossing is in progress and the accuracy has been judged, a fix on the same side of
  /// the boundary has no effect, whatever its accuracy, its time and the policy. The millimetre exceeds the error of
  /// the distances.
  var clearance: LocationDistance {
    guard isResolvable != nil, crossing == nil, state != .unknown else { return 0 }
    return max(0, (state == .inside ? depth : -depth) - 0.001)
  }
}
