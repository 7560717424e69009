/// One element of `LocationManager.liveUpdates()`: where the receiver is, or why that is not known. Core
/// Location's `CLLocationUpdate`.
public struct LocationUpdate: Sendable, Hashable {
  /// The fix; `nil` when there is none now.
  public var location: Location?
  /// Whether the receiver has not moved for a while. Only the update that begins such a stay has it set, and
  /// those that follow until it ends.
  public var stationary: Bool
  /// Whether the location is unknown: no fix, or none for the manager's `staleAfter`.
  public var locationUnavailable: Bool
  /// Whether the process may not use the source.
  public var authorizationDenied: Bool
  /// What failed, for an update without a location. Not Core Location's.
  public var error: LocationError?

  /// Creates an update.
  public init(
    location: Location? = nil, stationary: Bool = false, locationUnavailable: Bool = false,
    authorizationDenied: Bool = false, error: LocationError? = nil
  ) {
    self.location = location
    self.stationary = stationary
    self.locationUnavailable = locationUnavailable
    self.authorizationDenied = authorizationDenied
    self.error = error
  }
}
