public import FoundationEssentials
public import LocationKit

/// On which side of a fence the receiver was when the journal last knew.
public struct FenceState: Sendable, Hashable {
  /// The fence.
  public var region: CircularRegion
  /// `inside` or `outside`.
  public var state: RegionState
  /// The time of the last fix of which that is known.
  public var time: Date?

  /// Creates a state.
  public init(region: CircularRegion, state: RegionState, time: Date?) {
    self.region = region
    self.state = state
    self.time = time
  }
}
