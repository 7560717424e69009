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

  /// Creates a region; any values are stored, and `check()` judges them.
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

  /// The largest radius in metres of a region that can be watched: a quarter of the way around the earth.
  public static let maximumRadius: LocationDistance = 10_000_000

  /// Checks that the region is a circle on the earth that a manager can watch.
  ///
  /// - Throws: `regionMonitoringFailure`, which names the region and what is wrong.
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

/// Where the receiver is in regard to a region. Core Location's `CLRegionState`.
public enum RegionState: String, Sendable, Hashable, Codable {
  /// No fix has decided it yet.
  case unknown
  /// Within the boundary.
  case inside
  /// Beyond the boundary.
  case outside
}
