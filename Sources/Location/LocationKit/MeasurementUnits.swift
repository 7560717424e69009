/// The units of text for people, on pages, pictures and screens. Files for programs use metres and metres per second.
public enum MeasurementUnits: String, Sendable, Hashable, CaseIterable {
  /// Kilometres, metres, kilometres per hour.
  case metric
  /// Miles, feet, miles per hour.
  case imperial
  /// Nautical miles and knots. Heights and short distances are in metres.
  case nautical

  /// The units of road distances in a locale's country, by the locale's name in the environment, such as "en_US.UTF-8".
  /// British roads use miles.
  public init(locale: String) {
    let name = locale.prefix { $0 != "." && $0 != "@" }
    self = ["_GB", "_LR", "_MM", "_US"].contains { name.hasSuffix($0) } ? .imperial : .metric
  }

  /// The unit of speeds, and its number per metre per second.
  package var speed: (name: String, factor: Double) {
    switch self {
    case .metric: ("km/h", 3.6)
    case .imperial: ("mph", 3600 / 1609.344)
    case .nautical: ("kn", 3600 / 1852)
    }
  }

  /// The unit of heights, and its number per metre.
  package var height: (name: String, factor: Double) { self == .imperial ? ("ft", 1 / 0.3048) : ("m", 1) }

  /// The unit of longer distances, and its length in metres.
  package var distance: (name: String, metres: Double) {
    switch self {
    case .metric: ("km", 1000)
    case .imperial: ("mi", 1609.344)
    case .nautical: ("nmi", 1852)
    }
  }

  /// The limit in metres of short distances, which use the unit of heights: a kilometre, or a tenth of a mile.
  package var shortDistance: Double { self == .metric ? 999.5 : distance.metres / 10 }

  /// A distance in metres as "12 m", "850 m", "3.42 km" or "1240 km".
  package func words(distance metres: Double) -> String {
    if metres.magnitude < shortDistance { return words(height: metres) }
    let value = metres / distance.metres
    return "\(Self.decimal(value, value.magnitude < 99.995 ? 2 : value.magnitude < 999.95 ? 1 : 0)) \(distance.name)"
  }

  /// A height in metres as "12 m".
  package func words(height metres: Double) -> String { "\(Self.decimal(metres * height.factor, 0)) \(height.name)" }

  /// An accuracy in metres as "2.5 m" or "12 m".
  package func words(accuracy metres: Double) -> String {
    let value = metres * height.factor
    return "\(Self.decimal(value, value < 9.95 ? 1 : 0)) \(height.name)"
  }

  /// A speed in metres per second as "42.1 km/h".
  package func words(speed metresPerSecond: Double) -> String {
    "\(Self.decimal(metresPerSecond * speed.factor, 1)) \(speed.name)"
  }

  private static func decimal(_ value: Double, _ places: Int) -> String {
    value.isNaN ? "?" : fixedPoint(value, decimals: places)
  }
}
