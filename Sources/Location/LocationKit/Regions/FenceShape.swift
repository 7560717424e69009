/// The geometry of a fence, which is all that monitoring needs of a shape. A new shape is a new case.
enum FenceShape: Sendable, Equatable {
  case circle(center: LocationCoordinate2D, point: EarthPoint, radius: LocationDistance)
  case polygon(PolygonOutline)

  init(_ region: Region) {
    switch region {
    case .circle(let region):
      self = .circle(center: region.center, point: EarthPoint(region.center), radius: region.radius)
    case .polygon(let region): self = .polygon(region.outline)
    }
  }

  /// The metres from the boundary, positive inside and negative outside, for a coordinate and the same as a point.
  func depth(at coordinate: LocationCoordinate2D, _ point: EarthPoint) -> LocationDistance {
    switch self {
    case .circle(let center, _, let radius): radius - center.distance(from: coordinate)
    case .polygon(let outline): outline.depth(at: coordinate, point)
    }
  }

  /// An upper bound of the depth, which is much cheaper than the depth.
  func greatestDepth(at point: EarthPoint) -> LocationDistance {
    switch self {
    case .circle(_, let center, let radius): radius - center.leastDistance(to: point)
    case .polygon(let outline): outline.greatestDepth(at: point)
    }
  }

  /// The metres from the boundary to the point inside that is farthest from it.
  var greatestDepth: LocationDistance {
    switch self {
    case .circle(_, _, let radius): radius
    case .polygon(let outline): outline.greatestDepth
    }
  }
}
