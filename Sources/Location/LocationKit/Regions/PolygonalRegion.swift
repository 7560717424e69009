/// Polygons on the ground that a `LocationManager` can monitor as one region. Not Core Location's.
///
/// The edges are straight lines in degrees, as in GeoJSON (RFC 7946). An edge takes the shorter way around the earth, so
/// that a ring may cross the antimeridian; only an edge from one side of the antimeridian to the other, such as from
/// -180° to 180°, is a whole parallel. Edges along the antimeridian that two polygons share are no boundary. A ring around
/// the earth contains the pole of the hemisphere in which its points are on average.
public struct PolygonalRegion: Sendable, Hashable {
  /// The region's name. It is unique within a manager: starting a second region of the name replaces the first.
  public var identifier: String
  /// Whether an entry calls `locationManager(_:didEnterRegion:)`.
  public var notifyOnEntry: Bool
  /// Whether an exit calls `locationManager(_:didExitRegion:)`.
  public var notifyOnExit: Bool
  let outline: PolygonOutline

  /// Creates a region from any values; `check()` checks them.
  ///
  /// `polygons` has for each polygon its rings, the outer one first and then its holes, each with the coordinates of its
  /// corners. The first corner may be repeated at the end. Longitudes may be from -360 to 360.
  public init(
    polygons: [[[LocationCoordinate2D]]], identifier: String, notifyOnEntry: Bool = true, notifyOnExit: Bool = true
  ) {
    outline = PolygonOutline(polygons)
    (self.identifier, self.notifyOnEntry, self.notifyOnExit) = (identifier, notifyOnEntry, notifyOnExit)
  }

  /// For each polygon its rings, the outer one first and then its holes.
  public var polygons: [[[LocationCoordinate2D]]] { outline.polygons }
  /// The middle of the edges, degrees WGS84. It changes with every corner.
  public var center: LocationCoordinate2D { outline.center }
  /// The greatest distance of an edge from `center`, metres.
  public var radius: LocationDistance { outline.radius }

  /// Whether a coordinate is in one of the polygons and not in its holes; `false` if it is not valid.
  public func contains(_ coordinate: LocationCoordinate2D) -> Bool {
    coordinate.isValid && outline.contains(coordinate)
  }

  /// Returns the metres to the nearest edge, positive inside and negative outside. The result is never greater than the
  /// geodesic, and within a kilometre of the edge at most half a millimetre less.
  public func distanceToEdge(from coordinate: LocationCoordinate2D) -> LocationDistance {
    outline.depth(at: coordinate, EarthPoint(coordinate))
  }

  /// The rings for drawing on a map, near the longitude of `center`.
  package var drawing: [[[LocationCoordinate2D]]] { outline.drawing }

  /// Checks that the region is on the earth, has an inside, and is one that a manager can monitor.
  ///
  /// - Throws: `regionMonitoringFailure`, which names the region, the ring and the fault.
  public func check() throws(LocationError) {
    if let fault = outline.fault { throw LocationError(.regionMonitoringFailure, "region \(identifier): \(fault)") }
  }

  /// Hashes the name, because the corners may be many.
  public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}
