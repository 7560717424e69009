/// A region that a `LocationManager` can monitor: a circle or polygons. Core Location's `CLRegion` as a value.
public enum Region: Sendable, Hashable {
  /// A circle.
  case circle(CircularRegion)
  /// Polygons.
  case polygon(PolygonalRegion)

  /// Creates a circle from any values; `check()` checks them. The radius is in metres.
  public init(
    center: LocationCoordinate2D, radius: LocationDistance, identifier: String, notifyOnEntry: Bool = true,
    notifyOnExit: Bool = true
  ) {
    self = .circle(
      CircularRegion(
        center: center, radius: radius, identifier: identifier, notifyOnEntry: notifyOnEntry,
        notifyOnExit: notifyOnExit))
  }

  /// The circle itself, or the smallest circle around the polygons' `center`. Its name, centre and radius identify a
  /// fence in a journal, and programs that know only circles get it.
  public var circle: CircularRegion {
    switch self {
    case .circle(let circle): circle
    case .polygon(let polygon):
      CircularRegion(
        center: polygon.center, radius: polygon.radius, identifier: polygon.identifier,
        notifyOnEntry: polygon.notifyOnEntry, notifyOnExit: polygon.notifyOnExit)
    }
  }

  /// The region's name. It is unique within a manager: starting a second region of the name replaces the first.
  public var identifier: String { circle.identifier }
  /// The centre of `circle`, degrees WGS84.
  public var center: LocationCoordinate2D { circle.center }
  /// The radius of `circle` in metres.
  public var radius: LocationDistance { circle.radius }
  /// Whether an entry calls `locationManager(_:didEnterRegion:)`.
  public var notifyOnEntry: Bool { circle.notifyOnEntry }
  /// Whether an exit calls `locationManager(_:didExitRegion:)`.
  public var notifyOnExit: Bool { circle.notifyOnExit }

  /// Whether a coordinate is within the boundary or on it; `false` if either is not valid.
  public func contains(_ coordinate: LocationCoordinate2D) -> Bool {
    switch self {
    case .circle(let circle): circle.contains(coordinate)
    case .polygon(let polygon): polygon.contains(coordinate)
    }
  }

  /// Checks that a manager can monitor the region.
  ///
  /// - Throws: `regionMonitoringFailure`, which names the region and the fault.
  public func check() throws(LocationError) {
    switch self {
    case .circle(let circle): try circle.check()
    case .polygon(let polygon): try polygon.check()
    }
  }
}
