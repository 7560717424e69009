/// A set of satellites, one bit each.
struct SatelliteSet {
  private var bits: InlineArray<8, UInt64> = .init(repeating: 0)

  @inline(__always)
  mutating func insert(_ system: NMEASatelliteSystem, _ number: Int) {
    bits[Int(system.rawValue)] |= Self.bit(system, number)
  }

  @inline(__always)
  func contains(_ system: NMEASatelliteSystem, _ number: Int) -> Bool {
    bits[Int(system.rawValue)] & Self.bit(system, number) != 0
  }

  var count: Int {
    bits.indices.reduce(0) { $0 + bits[$1].nonzeroBitCount }
  }

  /// SBAS numbers are PRNs from 120.
  @inline(__always)
  private static func bit(_ system: NMEASatelliteSystem, _ number: Int) -> UInt64 {
    1 << UInt64(truncatingIfNeeded: system == .sbas ? number - 120 : number)
  }
}
