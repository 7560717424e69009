/// The units of what a page shows.
public enum MapUnits: String, Sendable, Hashable {
  /// Kilometres, metres, kilometres per hour.
  case metric
  /// Miles, feet, miles per hour.
  case imperial
  /// Nautical miles, metres, knots.
  case nautical
}
