import LocationKit
import Platform

/// Numbers for a person: few digits, a unit, and a decimal point in every locale.
enum Words {
  /// A number with exactly `places` decimals, halves rounded away from zero. "0" never has a sign.
  static func decimal(_ value: Double, _ places: Int) -> String {
    value.isNaN ? "?" : fixedPoint(value, decimals: places)
  }

  /// A number with as many decimals as the step of an axis: a step of 0.05 gives two.
  static func decimal(_ value: Double, step: Double) -> String { decimal(value, RoundStep.places(of: step)) }

  /// A number without trailing zeros: 12.50 is "12.5" and 12.0 is "12".
  static func trimmed(_ value: Double, _ places: Int) -> String {
    let text = decimal(value, places)
    guard text.contains(".") else { return text }
    var end = text[...]
    while end.last == "0" { end = end.dropLast() }
    if end.last == "." { end = end.dropLast() }
    return end == "-0" ? "0" : String(end)
  }
}

extension LocationCoordinate2D {
  func words(_ format: CoordinateFormat) -> String {
    switch format {
    case .degrees: "\(fixedPoint(latitude, decimals: 5)), \(fixedPoint(longitude, decimals: 5))"
    case .minutes:
      "\(Self.minutes(latitude, latitude < 0 ? "S" : "N")), \(Self.minutes(longitude, longitude < 0 ? "W" : "E"))"
    case .grid: gridLocator
    }
  }

  private static func minutes(_ degrees: LocationDegrees, _ letter: String) -> String {
    let thousandths = Int((abs(degrees) * 60_000).rounded())
    let minutes = fixedPoint(Double(thousandths % 60_000) / 1000, decimals: 3)
    return "\(thousandths / 60_000)° \(minutes)' \(letter)"
  }
}
