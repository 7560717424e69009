public import LocationKit

/// Something that covers a part of a map. MapKit's `MKOverlay`.
@MainActor
public protocol Overlay: Annotation {}

/// A circle on the ground. MapKit's `MKCircle`.
open class Circle: Shape, Overlay {
  /// The radius in metres.
  public let radius: LocationDistance
  private let center: LocationCoordinate2D

  /// Creates a circle.
  ///
  /// - Parameters:
  ///   - center: Its centre.
  ///   - radius: Metres.
  public init(center: LocationCoordinate2D, radius: LocationDistance) {
    self.center = center
    self.radius = radius
  }

  /// The circle's middle.
  open override var coordinate: LocationCoordinate2D { center }
}

/// The boundary of a region that a location manager watches. Not MapKit's.
open class RegionCircle: Circle {
  /// The region.
  public let region: CircularRegion

  /// Creates the circle of a region, with its identifier as the title.
  public init(_ region: CircularRegion) {
    self.region = region
    super.init(center: region.center, radius: region.radius)
    title = region.identifier
  }
}

/// A line through coordinates. MapKit's `MKPolyline`.
///
/// A subclass may grow while it is on a map, as the path of somebody who walks does.
open class Polyline: Shape, Overlay {
  private let line: [LocationCoordinate2D]

  /// Creates a line.
  public init(coordinates: [LocationCoordinate2D]) {
    line = coordinates
  }

  /// Creates a line through the first `count` of some coordinates, or through all if there are fewer.
  public convenience init(coordinates: [LocationCoordinate2D], count: Int) {
    self.init(coordinates: Array(coordinates.prefix(max(0, count))))
  }

  /// The line's points in order.
  open var coordinates: [LocationCoordinate2D] { line }

  /// How many points there are.
  open var pointCount: Int { coordinates.count }

  /// The point in the middle of the list; that of latitude and longitude 0 for a line without points.
  open override var coordinate: LocationCoordinate2D {
    pointCount == 0 ? super.coordinate : coordinates[pointCount / 2]
  }
}
