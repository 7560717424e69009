/// A region whose boundary the receiver has crossed, with the location that showed it.
public struct RegionCrossing: Sendable, Hashable {
  /// The region.
  public var region: CircularRegion
  /// Which side the receiver is on now: `inside` or `outside`.
  public var state: RegionState
  /// The location that showed it.
  public var location: Location

  /// Creates a crossing.
  public init(_ region: CircularRegion, _ state: RegionState, at location: Location) {
    (self.region, self.state, self.location) = (region, state, location)
  }
}
