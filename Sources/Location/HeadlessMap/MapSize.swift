/// The extent of a map's viewport in points; only the proportion of its sides has an effect.
public struct MapSize: Sendable, Hashable, Codable {
  /// Points from left to right.
  public var width: Double
  /// Points from top to bottom.
  public var height: Double

  /// Creates a size.
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }
}
