/// Where the receiver is in regard to a region. Core Location's `CLRegionState`.
public enum RegionState: String, Sendable, Hashable, Codable {
  /// No fix has told yet.
  case unknown
  /// Within the boundary.
  case inside
  /// Beyond the boundary.
  case outside
}
