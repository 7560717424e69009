/// A circle on the ground that a `LocationManager` can monitor. Core Location's `CLCircularRegion` as a value.
public struct CircularRegion: Sendable, Hashable, Codable {
  /// The centre of the circle, degrees WGS84.
  public var center: LocationCoordinate2D
  /// The radius in metres, along the geodesic.
  public var radius: LocationDistance
  /// The region's name. It is unique within a manager: starting a second region of the name replaces the first.
  public var identifier: String
  /// Whether an entry calls `locationManager(_:didEnterRegion:)`.
  public var notifyOnEntry: Bool
  /// Whether an exit calls `locationManager(_:didExitRegion:)`.
  public var notifyOnExit: Bool

  /// Creates a region from any values; `check()` checks them.
  public init(
    center: LocationCoordinate2D, radius: LocationDistance, identifier: String, notifyOnEntry: Bool = true,
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
  /// Whether a coordinate is within the boundary or on it; `false` if either is not valid.
  public func contains(_ coordinate: LocationCoordinate2D) -> Bool { center.distance(from: coordinate) <= radius }

  /// The largest radius in metres of a region that can be monitored: a quarter of the earth's circumference.
  public static let maximumRadius: LocationDistance = 10_000_000

  /// Checks that the region is a circle on the earth that a manager can monitor.
  ///
  /// - Throws: `regionMonitoringFailure`, which names the region and the fault.
  public func check() throws(LocationError) {
    guard center.isValid else {
      throw LocationError(
        .regionMonitoringFailure,
        "region \(identifier): the centre \(center.latitude), \(center.longitude) is not a coordinate")
    }
    guard radius > 0, radius <= Self.maximumRadius else {
      throw LocationError(
        .regionMonitoringFailure,
        "region \(identifier): the radius \(radius) m is not above 0 m and at most \(Self.maximumRadius) m")
    }
  }
}

/// The receiver's position relative to a region. Core Location's `CLRegionState`.
public enum RegionState: String, Sendable, Hashable, Codable {
  /// No fix has decided the state yet.
  case unknown
  /// Within the boundary.
  case inside
  /// Beyond the boundary.
  case outside
}
