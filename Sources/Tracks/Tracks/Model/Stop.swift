public import FoundationEssentials
public import LocationKit

/// A stay at one place that lasted at least `TrackSettings.stopAfter`.
public struct Stop: Sendable, Hashable {
  /// The mean of the fixes of the stay.
  public var coordinate: LocationCoordinate2D
  /// The time of the first fix of the stay.
  public var arrival: Date
  /// The time of the last fix of the stay.
  public var departure: Date
  /// The fixes of the stream that belong to the stay; the first fix of the stream is 0.
  public var fixes: Range<Int>

  /// Creates a stop.
  public init(coordinate: LocationCoordinate2D, arrival: Date, departure: Date, fixes: Range<Int>) {
    self.coordinate = coordinate
    self.arrival = arrival
    self.departure = departure
    self.fixes = fixes
  }

  /// Seconds from arrival to departure.
  public var duration: Double { departure.timeIntervalSince(arrival) }
}
