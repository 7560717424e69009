public import FoundationEssentials

/// Which way the device points, from a compass or an attitude sensor. Core Location's `CLHeading`.
///
/// Never derived from the course over ground.
public struct Heading: Sendable, Hashable, Codable {
  /// Degrees from magnetic north, when the sensor reports it.
  public var magneticHeading: LocationDirection?
  /// Degrees from true north, when the sensor reports it or gives the variation.
  public var trueHeading: LocationDirection?
  /// Uncertainty in degrees, when known.
  public var headingAccuracy: LocationDirectionAccuracy?
  /// The sensor's time; `nil` when it gave none.
  public var timestamp: Date?

  /// Creates a heading; everything that is not given is unknown.
  public init(
    magneticHeading: LocationDirection? = nil,
    trueHeading: LocationDirection? = nil,
    headingAccuracy: LocationDirectionAccuracy? = nil,
    timestamp: Date? = nil
  ) {
    self.magneticHeading = magneticHeading
    self.trueHeading = trueHeading
    self.headingAccuracy = headingAccuracy
    self.timestamp = timestamp
  }
}
