// Questions that a program asks before it starts something.
extension LocationManager {
  /// Always `true`: a host has no switch for location services. The manager's `authorizationStatus` tells whether this
  /// process may use its source. Core Location's `locationServicesEnabled()`.
  public static func locationServicesEnabled() -> Bool { true }

  /// Always `true`: a compass is known only by its reports. After the start, the delegate receives `headingFailure` if
  /// no heading arrives. Core Location's `headingAvailable()`.
  public static func headingAvailable() -> Bool { true }

  /// Whether regions of a type can be monitored: `true` for circles and polygons. Core Location's
  /// `isMonitoringAvailable(for:)`.
  public static func isMonitoringAvailable(for regionType: Any.Type) -> Bool {
    regionType == CircularRegion.self || regionType == PolygonalRegion.self
  }
}
