public import LocationKit
import Platform

/// A fence and its identifying time for OwnTracks. The time stays the same as long as a fence with that name exists,
/// and no other fence has it.
public struct Waypoint: Sendable, Hashable {
  /// The fence.
  public var region: CircularRegion
  /// Seconds since 1970.
  public var time: Int

  /// Creates a waypoint.
  public init(region: CircularRegion, time: Int) {
    (self.region, self.time) = (region, time)
  }

  /// A time for a fence without a stored one. It is derived from the name, so that it is the same after a restart, and
  /// lies in the years 2001 to 2020.
  static func time(of name: String) -> Int {
    1_000_000_000 + Int(stableHash(name.utf8) % 600_000_000)
  }
}
