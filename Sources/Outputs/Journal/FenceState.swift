public import FoundationEssentials
public import LocationKit

/// The last known side of a fence.
public struct FenceState: Sendable, Hashable {
  /// The fence.
  public var region: CircularRegion
  /// `inside` or `outside`.
  public var state: RegionState
  /// The time of the last fix that confirmed it.
  public var time: Date?

  /// Creates a state.
  public init(region: CircularRegion, state: RegionState, time: Date?) {
    self.region = region
    self.state = state
    self.time = time
  }
}
