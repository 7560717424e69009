/// By which factors the places of the satellites in the sky enlarge the error of a single range. Above 98 they mean nothing.
public struct DilutionOfPrecision: Sendable, Hashable {
  /// gpsd's `hdop`: of the horizontal position.
  public var horizontal: Double?
  /// gpsd's `vdop`: of the altitude.
  public var vertical: Double?
  /// gpsd's `pdop`: of the position in space.
  public var position: Double?

  /// Creates a value; what is not given is unknown.
  public init(horizontal: Double? = nil, vertical: Double? = nil, position: Double? = nil) {
    self.horizontal = horizontal
    self.vertical = vertical
    self.position = position
  }

  /// Takes over what a later report says.
  public mutating func update(with later: Self) {
    if let value = later.horizontal { horizontal = value }
    if let value = later.vertical { vertical = value }
    if let value = later.position { position = value }
  }
}
