/// A circle on the ground that a `LocationManager` can watch. Core Location's `CLCircularRegion` as a value.
public struct CircularRegion: Sendable, Hashable, Codable {
  /// The middle of the circle, degrees WGS84.
  public var center: LocationCoordinate2D
  /// The radius in metres, along the geodesic.
  public var radius: LocationDistance
  /// The region's name. A manager watches one region of a name: starting another one replaces it.
  public var identifier: String
  /// Whether `locationManager(_:didEnterRegion:)` is called for it.
  public var notifyOnEntry: Bool
  /// Whether `locationManager(_:didExitRegion:)` is called for it.
  public var notifyOnExit: Bool

  /// Creates a region; any values are stored, and the manager judges them when it is asked to watch it.
  public init(
    center: LocationCoordinate2D,
    radius: LocationDistance,
    identifier: String,
    notifyOnEntry: Bool = true,
    notifyOnExit: Bool = true
  ) {
    self.center = center
    self.radius = radius
    self.identifier = identifier
    self.notifyOnEntry = notifyOnEntry
    self.notifyOnExit = notifyOnExit
  }
}

extension CircularRegion {
  /// Whether a coordinate is within the boundary or on it; `false` when either is not valid.
  public func contains(_ coordinate: LocationCoordinate2D) -> Bool {
    center.distance(from: coordinate) <= radius
  }
}
