extension Location {
  /// The length in metres of the geodesic on the WGS84 ellipsoid between this location and another one, without
  /// regard to altitude. Core Location's `distance(from:)`.
  ///
  /// It agrees with GeographicLib's GeodSolve within some nanometres for every pair of points. NaN when a
  /// coordinate is not valid.
  public func distance(from location: Location) -> LocationDistance {
    Geodesic.distance(from: location.coordinate, to: coordinate)
  }
}

extension LocationCoordinate2D {
  /// The length in metres of the geodesic on the WGS84 ellipsoid between two coordinates; NaN when one of them
  /// is not valid.
  public func distance(from coordinate: LocationCoordinate2D) -> LocationDistance {
    Geodesic.distance(from: coordinate, to: self)
  }
}
