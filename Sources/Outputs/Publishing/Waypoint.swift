public import LocationKit
import Platform

/// A fence and the time by which OwnTracks knows it: it stays the same for as long as there is a fence of that name, and no
/// other fence has it.
public struct Waypoint: Sendable, Hashable {
  /// The fence.
  public var region: CircularRegion
  /// Seconds since 1970.
  public var time: Int

  /// Creates a waypoint.
  public init(region: CircularRegion, time: Int) {
    (self.region, self.time) = (region, time)
  }

  /// A time for a fence where nobody remembers when it was first there. It is made of the name, so that it is the same after
  /// a restart, and lies in the years from 2001 to 2020.
  static func time(of name: String) -> Int {
    1_000_000_000 + Int(stableHash(name.utf8) % 600_000_000)
  }
}
