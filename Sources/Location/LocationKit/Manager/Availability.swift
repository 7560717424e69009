// What a program asks before it starts something.
extension LocationManager {
  /// Always `true`: a host has no switch for location services. Whether this process may use a source is the manager's
  /// `authorizationStatus`. Core Location's `locationServicesEnabled()`.
  public static func locationServicesEnabled() -> Bool { true }

  /// Always `true`: whether a receiver has a compass shows only when it reports. Start, and the delegate hears
  /// `headingFailure` when no heading comes. Core Location's `headingAvailable()`.
  public static func headingAvailable() -> Bool { true }

  /// Whether regions of a type can be watched: `true` for `CircularRegion` alone. Core Location's
  /// `isMonitoringAvailable(for:)`.
  public static func isMonitoringAvailable(for regionType: Any.Type) -> Bool {
    regionType == CircularRegion.self
  }
}
