/// What a destination may know of the receiver's position: everything, the cells of a grid, or nothing in hidden zones.
/// With a grid and zones, both apply.
package struct PrivacyPolicy: Sendable, Hashable {
  package static let exact = PrivacyPolicy()

  private let grid: PrivacyGrid?
  private let zones: [HiddenZone]

  /// Creates a policy; without arguments it is exact.
  package init(grid: PrivacyGrid? = nil, hiding zones: [HiddenZone] = []) { (self.grid, self.zones) = (grid, zones) }

  package var isExact: Bool { grid == nil && zones.isEmpty }
  /// Whether locations are only the centres of a grid's cells. Fences and satellites are then left out.
  package var hasGrid: Bool { grid != nil }
  var hides: Bool { !zones.isEmpty }

  /// The name of the fence whose hidden zone may contain a location.
  package func fence(hiding location: Location) -> String? { zones.first { $0.mayContain(location) }?.fence }

  /// A location that no zone hides, as the destination sees it.
  package func visible(_ location: Location) -> Location { grid?.cell(of: location) ?? location }

  /// Whether a destination may know of a fence. With a grid it may not, because a fence's edge is exact. Fences with their
  /// centre in a hidden zone, the one that hides among them, would tell what is hidden.
  package func tells(_ fence: CircularRegion) -> Bool {
    grid == nil
      && zones.allSatisfy { $0.fence != fence.identifier && !$0.mayContain(Location(coordinate: fence.center)) }
  }
}

/// A grid over the earth: bands of latitude of about the same height as the width of their cells. It is the same at any
/// time and for any receiver.
package struct PrivacyGrid: Sendable, Hashable {
  private let size: LocationDistance

  /// Creates a grid whose cells are about this many metres high and wide.
  package init(metres: LocationDistance) { size = metres }

  /// The centre of the location's cell, with its time, and an accuracy of at least the cell's half diagonal. The other
  /// members say more than the cell: speed and course add up to a track, and an altitude is a place in hills.
  func cell(of location: Location) -> Location {
    let coordinate = location.coordinate
    let bands = max(1, (180 * WGS84.metresPerDegree / size).rounded())
    let height = 180 / bands
    let latitude = (min(((coordinate.latitude + 90) / height).rounded(.down), bands - 1) + 0.5) * height - 90
    let columns = max(1, (360 * WGS84.metresPerDegree * C.cos(latitude * .pi / 180) / size).rounded())
    let width = 360 / columns
    let column = ((coordinate.longitude + 180) / width).rounded(.down)
    // 180° is the meridian of -180°.
    let center = LocationCoordinate2D(
      latitude: latitude, longitude: ((column < columns ? column : 0) + 0.5) * width - 180)
    // The corners nearer to the equator are the farthest.
    let edge = latitude < 0 ? latitude + height / 2 : latitude - height / 2
    let radius = center.distance(from: .init(latitude: edge, longitude: center.longitude + width / 2))
    return Location(
      coordinate: center, horizontalAccuracy: max(radius, location.horizontalAccuracy ?? 0),
      timestamp: location.timestamp, sourceInformation: location.sourceInformation)
  }
}

/// A circle around a fence from which nothing is disclosed.
///
/// The ends of many trips lie on the circle and show its centre, and the mean of the ends in all directions is halfway
/// between that centre and the home. So the centre is at least four radii of the fence away from the fence's, in a secret
/// direction that never changes, and half of that is still beyond the fence. The distance is secret as well: the home is
/// somewhere in a ring with twenty times the fence's area. The fence is at least its radius away from the edge.
package struct HiddenZone: Sendable, Hashable {
  let fence: String
  let center: LocationCoordinate2D
  let radius: LocationDistance

  init(fence: String, center: LocationCoordinate2D, radius: LocationDistance) {
    (self.fence, self.center, self.radius) = (fence, center, radius)
  }

  /// Creates the zone of a fence from two secret numbers from 0 up to 1, which have to be the same for every destination and
  /// at every start, because different zones of a fence would show their intersection.
  package init(around fence: CircularRegion, distance: Double, bearing: Double) {
    let (offset, angle) = ((16 + 20 * distance).squareRoot() * fence.radius, 2 * .pi * bearing)
    self.init(
      fence: fence.identifier,
      center: LocalPlane(at: fence.center).coordinate(east: offset * C.sin(angle), north: offset * C.cos(angle)),
      radius: 8 * fence.radius)
  }

  /// Whether a location may be inside, by its accuracy; true if its coordinate is not valid.
  func mayContain(_ location: Location) -> Bool {
    !(center.distance(from: location.coordinate) > radius + (location.horizontalAccuracy ?? 0))
  }
}
