public import LocationKit

/// An annotation that covers a part of a map. MapKit's `MKOverlay`.
@MainActor
public protocol Overlay: Annotation {}

/// A circle on the ground. MapKit's `MKCircle`.
open class Circle: Shape, Overlay {
  /// The radius in metres.
  public let radius: LocationDistance
  private let center: LocationCoordinate2D

  /// Creates a circle with a radius in metres.
  public init(center: LocationCoordinate2D, radius: LocationDistance) {
    self.center = center
    self.radius = radius
  }

  /// The centre of the circle.
  open override var coordinate: LocationCoordinate2D { center }
}

/// The boundary of a region that a location manager watches, or the circle around it for polygons. Not MapKit's.
open class RegionCircle: Circle {
  /// The region that is watched.
  public let region: Region

  /// Creates the boundary of a region, with the region's identifier as its title.
  public init(_ region: Region) {
    self.region = region
    super.init(center: region.center, radius: region.radius)
    title = region.identifier
  }
}

/// A line through coordinates. MapKit's `MKPolyline`.
///
/// A subclass may grow while it is on a map, such as the path of a moving receiver.
open class Polyline: Shape, Overlay {
  private let line: [LocationCoordinate2D]

  /// Creates a line.
  public init(coordinates: [LocationCoordinate2D]) { line = coordinates }

  /// Creates a line through the first `count` coordinates, or through all if there are fewer.
  public convenience init(coordinates: [LocationCoordinate2D], count: Int) {
    self.init(coordinates: Array(coordinates.prefix(max(0, count))))
  }

  /// The points of the line, in order.
  open var coordinates: [LocationCoordinate2D] { line }

  /// The number of points.
  open var pointCount: Int { coordinates.count }

  /// The middle point of the list; latitude and longitude 0 for a line without points.
  open override var coordinate: LocationCoordinate2D {
    pointCount == 0 ? super.coordinate : coordinates[pointCount / 2]
  }
}
