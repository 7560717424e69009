/// How much of a position the receiver could solve; the values are gpsd's `mode`.
public enum FixMode: UInt8, Sendable, Hashable, Codable {
  /// Latitude and longitude.
  case twoDimensional = 2
  /// Latitude, longitude and altitude.
  case threeDimensional = 3
}
