public import FoundationEssentials
public import LocationKit

/// The crossing of a fence, as a location stream reports it.
public struct FenceRecord: Sendable, Hashable {
  /// Which way it was crossed.
  public enum Event: String, Sendable, Hashable, CaseIterable {
    /// From outside to inside.
    case enter
    /// From inside to outside.
    case exit
  }

  /// The fence's identifier.
  public var fence: String
  /// Which way it was crossed.
  public var event: Event
  /// Where the fix lay that showed the crossing, degrees WGS84.
  public var coordinate: LocationCoordinate2D
  /// The time of that fix, when the receiver gave one.
  public var timestamp: Date?

  /// Creates a record.
  public init(fence: String, event: Event, coordinate: LocationCoordinate2D, timestamp: Date? = nil) {
    self.fence = fence
    self.event = event
    self.coordinate = coordinate
    self.timestamp = timestamp
  }
}
