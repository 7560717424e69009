public import FoundationEssentials
public import LocationKit
import Records

/// The current trip, for the page's panel.
public struct MapTrip: Sendable, Hashable {
  /// The time of its first fix.
  public var start: Date
  /// Metres.
  public var distance: LocationDistance
  /// Seconds.
  public var duration: Double

  /// Describes a trip.
  public init(start: Date, distance: LocationDistance, duration: Double) {
    (self.start, self.distance, self.duration) = (start, distance, duration)
  }

  func append(to buffer: inout RecordBuffer) {
    buffer.appendObject {
      $0.appendMember("start", start)
      $0.appendMember("distance", distance)
      $0.appendMember("duration", duration)
    }
  }
}
