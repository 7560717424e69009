/// A crossing of a region's boundary, with the location that showed it.
public struct RegionCrossing: Sendable, Hashable {
  /// The region.
  public var region: Region
  /// The new side of the receiver: `inside` or `outside`.
  public var state: RegionState
  /// The location that showed the crossing.
  public var location: Location
  /// Whether a device reported a crossing of its own fence, of which only the name is known here.
  public var isReported: Bool

  /// Creates a crossing.
  public init(_ region: Region, _ state: RegionState, at location: Location, isReported: Bool = false) {
    (self.region, self.state, self.location, self.isReported) = (region, state, location, isReported)
  }
}
