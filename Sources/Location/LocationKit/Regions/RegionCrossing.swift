/// A region whose boundary the receiver has crossed, with the location that showed it.
public struct RegionCrossing: Sendable, Hashable {
  /// The region.
  public var region: CircularRegion
  /// Which side the receiver is on now: `inside` or `outside`.
  public var state: RegionState
  /// The location that showed it.
  public var location: Location
  /// Whether a device reports the crossing of a fence of its own, of which no more than the name is known here.
  public var isReported: Bool

  /// Creates a crossing.
  public init(_ region: CircularRegion, _ state: RegionState, at location: Location, isReported: Bool = false) {
    (self.region, self.state, self.location, self.isReported) = (region, state, location, isReported)
  }
}
