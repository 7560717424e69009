public import FoundationEssentials

/// The direction in which the device points, from a compass or an attitude sensor. Core Location's `CLHeading`.
///
/// A heading is never derived from the course over ground.
public struct Heading: Sendable, Hashable, Codable {
  /// Degrees from magnetic north, if the sensor reports it.
  public var magneticHeading: LocationDirection?
  /// Degrees from true north, if the sensor reports it or the variation.
  public var trueHeading: LocationDirection?
  /// Uncertainty in degrees, if known.
  public var headingAccuracy: LocationDirectionAccuracy?
  /// The sensor's time; `nil` if the sensor gave none.
  public var timestamp: Date?

  /// Creates a heading; omitted values are unknown.
  public init(
    magneticHeading: LocationDirection? = nil, trueHeading: LocationDirection? = nil,
    headingAccuracy: LocationDirectionAccuracy? = nil, timestamp: Date? = nil
  ) {
    self.magneticHeading = magneticHeading
    self.trueHeading = trueHeading
    self.headingAccuracy = headingAccuracy
    self.timestamp = timestamp
  }
}
