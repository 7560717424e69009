public import LocationKit

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
    1_000_000_000 + Int(hash(of: name) % 600_000_000)
  }

  /// FNV-1a; Swift's own hashes differ from run to run.
  static func hash(of name: String) -> UInt64 {
    name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
