import LocationKit
import Platform

/// How numbers are written for a person: few digits, a unit, a point whatever the locale.
enum Words {
  /// A number with exactly `places` decimals, halves away from zero; "0" never has a sign.
  static func decimal(_ value: Double, _ places: Int) -> String {
    value.isNaN ? "?" : fixedPoint(value, decimals: places)
  }

  /// A number with as many decimals as a step of an axis has: 0.05 is written with two.
  static func decimal(_ value: Double, step: Double) -> String { decimal(value, RoundStep.places(of: step)) }

  /// A number without the decimals that say nothing: 12.50 is "12.5" and 12.0 is "12".
  static func trimmed(_ value: Double, _ places: Int) -> String {
    let text = decimal(value, places)
    guard text.contains(".") else { return text }
    var end = text[...]
    while end.last == "0" { end = end.dropLast() }
    if end.last == "." { end = end.dropLast() }
    return end == "-0" ? "0" : String(end)
  }

  /// Seconds as "45 s", "11 min 59 s", "2 h 05 min" or "3 d 04 h".
  static func duration(_ seconds: Double) -> String { durationText(seconds) }

  /// How many there are of a thing: "1 stop", "2 stops".
  static func count(_ number: Int, _ thing: String) -> String { counted(number, thing) }
}
