/// The geometry of a fence, which is all that monitoring needs of a shape. A new shape is a new case.
enum FenceShape: Sendable, Equatable {
  case circle(center: LocationCoordinate2D, point: EarthPoint, radius: LocationDistance)

  init(_ region: CircularRegion) {
    self = .circle(center: region.center, point: EarthPoint(region.center), radius: region.radius)
  }

  /// The metres from the boundary, positive inside and negative outside.
  func depth(at coordinate: LocationCoordinate2D) -> LocationDistance {
    switch self {
    case .circle(let center, _, let radius): radius - center.distance(from: coordinate)
    }
  }

  /// An upper bound of the depth, which is much cheaper than the depth.
  func greatestDepth(at point: EarthPoint) -> LocationDistance {
    switch self {
    case .circle(_, let center, let radius): radius - center.leastDistance(to: point)
    }
  }

  /// The metres from the boundary to the point inside that is farthest from it.
  var greatestDepth: LocationDistance {
    switch self {
    case .circle(_, _, let radius): radius
    }
  }
}
