public import FoundationEssentials

/// A stay at a place. Core Location's `CLVisit` as a value.
///
/// A visit is reported twice: on arrival without a departure date, and on departure with both.
public struct Visit: Sendable, Hashable, Codable {
  /// The mean of the fixes of the stay, degrees WGS84.
  public var coordinate: LocationCoordinate2D
  /// The radius of the stay in metres.
  public var horizontalAccuracy: LocationAccuracy
  /// The receiver's time of the first fix of the stay; `nil` if the receiver gave none.
  public var arrivalDate: Date?
  /// The receiver's time of the last fix of the stay; `nil` during the stay, and if the receiver gave none.
  public var departureDate: Date?
  /// Whether the stay is over.
  public var hasDeparted: Bool

  /// Creates a visit.
  public init(
    coordinate: LocationCoordinate2D, horizontalAccuracy: LocationAccuracy, arrivalDate: Date? = nil,
    departureDate: Date? = nil, hasDeparted: Bool = false
  ) {
    self.coordinate = coordinate
    self.horizontalAccuracy = horizontalAccuracy
    self.arrivalDate = arrivalDate
    self.departureDate = departureDate
    self.hasDeparted = hasDeparted
  }
}
