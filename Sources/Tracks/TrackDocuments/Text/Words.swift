import LocationKit

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
  static func duration(_ seconds: Double) -> String {
    guard seconds.magnitude < 1e12 else { return "?" }
    let total = Int(max(0, seconds).rounded())
    if total < 60 { return "\(total) s" }
    if total < 3600 { return "\(total / 60) min \(twoDigits(total % 60)) s" }
    let minutes = Int((Double(total) / 60).rounded())
    if minutes < 48 * 60 { return "\(minutes / 60) h \(twoDigits(minutes % 60)) min" }
    let hours = Int((Double(total) / 3600).rounded())
    return "\(hours / 24) d \(twoDigits(hours % 24)) h"
  }

  /// How many there are of a thing: "1 stop", "2 stops".
  static func count(_ number: Int, _ thing: String) -> String { "\(number) \(thing)\(number == 1 ? "" : "s")" }

  /// A whole number below 100 with two digits.
  static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
