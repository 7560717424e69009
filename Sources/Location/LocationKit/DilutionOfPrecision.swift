/// The factors by which the satellites' positions in the sky enlarge the error of a single range. Values above 98 are
/// meaningless.
public struct DilutionOfPrecision: Sendable, Hashable {
  /// gpsd's `hdop`: for the horizontal position.
  public var horizontal: Double?
  /// gpsd's `vdop`: for the altitude.
  public var vertical: Double?
  /// gpsd's `pdop`: for the position in space.
  public var position: Double?
  /// gpsd's `tdop`: for the time.
  public var time: Double?
  /// gpsd's `gdop`: for position and time together.
  public var geometric: Double?

  /// Creates a value; omitted factors are unknown.
  public init(
    horizontal: Double? = nil, vertical: Double? = nil, position: Double? = nil, time: Double? = nil,
    geometric: Double? = nil
  ) {
    self.horizontal = horizontal
    self.vertical = vertical
    self.position = position
    self.time = time
    self.geometric = geometric
  }

  /// Copies the factors that a later report contains.
  public mutating func update(with later: Self) {
    if let value = later.horizontal { horizontal = value }
    if let value = later.vertical { vertical = value }
    if let value = later.position { position = value }
    if let value = later.time { time = value }
    if let value = later.geometric { geometric = value }
  }
}
