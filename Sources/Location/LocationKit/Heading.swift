public import FoundationEssentials

/// Which way the device points, from a compass or an attitude sensor. Core Location's `CLHeading`.
///
/// Never derived from the course over ground.
public struct Heading: Sendable, Hashable, Codable {
  /// Degrees from magnetic north, when the sensor reports it.
  public var magneticHeading: LocationDirection?
  /// Degrees from true north, when the sensor reports it or gives the variation.
  public var trueHeading: LocationDirection?
  /// Uncertainty in degrees, when known.
  public var headingAccuracy: LocationDirectionAccuracy?
  /// The sensor's time; `nil` when it gave none.
  public var timestamp: Date?

  /// Creates a heading; everything that is not given is unknown.
  public init(
    magneticHeading: LocationDirection? = nil,
    trueHeading: LocationDirection? = nil,
    headingAccuracy: LocationDirectionAccuracy? = nil,
    timestamp: Date? = nil
  ) {
    self.magneticHeading = magneticHeading
    self.trueHeading = trueHeading
    self.headingAccuracy = headingAccuracy
    self.timestamp = timestamp
  }
}

/// Decides which headings the delegate gets: by the turn since the last delivered one.
struct HeadingDelivery {
  /// Degrees; `nil`, zero and less let every heading pass.
  var angle: LocationDirection? = 1
  /// Whether headings are asked for.
  private(set) var isUpdating = false
  /// The last heading that was received.
  private(set) var heading: Heading?
  private var lastDelivered: Heading?
  private var isPoor = false

  /// Begins: the next heading passes.
  mutating func start() {
    isUpdating = true
    lastDelivered = nil
  }

  /// Ends.
  mutating func stop() {
    isUpdating = false
  }

  /// Takes a heading; returns whether to deliver it, and whether the compass has just become poor.
  mutating func update(_ heading: Heading) -> (delivers: Bool, becomesPoor: Bool) {
    self.heading = heading
    let wasPoor = isPoor
    isPoor = (heading.headingAccuracy ?? 0) > 30
    let isNear = if let angle, angle > 0, let turn = turn(to: heading) { turn < angle } else { false }
    if !isNear { lastDelivered = heading }
    return (!isNear, isPoor && !wasPoor)
  }

  /// Degrees from the last delivered heading, when both have the same kind of direction.
  private func turn(to heading: Heading) -> LocationDirection? {
    guard let lastDelivered else { return nil }
    if let from = lastDelivered.trueHeading, let to = heading.trueHeading {
      return abs((to - from).remainder(dividingBy: 360))
    }
    if let from = lastDelivered.magneticHeading, let to = heading.magneticHeading {
      return abs((to - from).remainder(dividingBy: 360))
    }
    return nil
  }
}
