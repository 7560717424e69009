public import LocationKit

/// The area between two parallels and two meridians that holds a track.
public struct TrackBounds: Sendable, Hashable {
  /// Degrees: the southernmost latitude.
  public private(set) var south: LocationDegrees
  /// Degrees: the northernmost latitude.
  public private(set) var north: LocationDegrees
  /// Degrees, -180 ..< 180: the meridian at which the area begins.
  public private(set) var west: LocationDegrees
  /// Degrees: the meridian at which the area ends. It is above 180 if the area crosses the antimeridian, so it is never
  /// less than `west`.
  public private(set) var east: LocationDegrees

  /// Creates the bounds of one point.
  public init(_ coordinate: LocationCoordinate2D) {
    south = coordinate.latitude
    north = coordinate.latitude
    west = coordinate.longitude == 180 ? -180 : coordinate.longitude
    east = west
  }

  /// Grows to the nearer side, so that the bounds of a track across the antimeridian stay narrow.
  public mutating func include(_ coordinate: LocationCoordinate2D) {
    south = min(south, coordinate.latitude)
    north = max(north, coordinate.latitude)
    var longitude = coordinate.longitude
    if longitude < west { longitude += 360 }
    guard longitude > east else { return }
    let eastward = longitude - east
    let westward = west - (longitude - 360)
    if eastward <= westward {
      east = longitude
    } else {
      west -= westward
      if west < -180 {
        west += 360
        east += 360
      }
    }
    if east - west >= 360 { (west, east) = (-180, 180) }
  }
}
