/// What the numbers of flags and of the configuration file may be.
enum Bounds {
  /// Metres; the map cannot show more than the earth's circumference.
  static func span(_ text: String) throws(SettingError) -> Double {
    try number(text, in: 1...40_000_000, unit: "metres")
  }

  /// Metres; 0 reports every fix.
  static func distanceFilter(_ text: String) throws(SettingError) -> Double {
    try number(text, in: 0...40_000_000, unit: "metres")
  }

  /// Metres.
  static func accuracy(_ text: String) throws(SettingError) -> Double {
    try number(text, in: 0.001...40_000_000, unit: "metres")
  }

  /// Seconds, up to a day.
  static func staleAfter(_ text: String) throws(SettingError) -> Double {
    try number(text, in: 0.1...86_400, unit: "seconds")
  }

  private static func number(
    _ text: String, in range: ClosedRange<Double>, unit: String
  ) throws(SettingError) -> Double {
    // The comparison also refuses NaN.
    guard let value = Double(text), range.contains(value) else {
      throw SettingError(
        "'\(text)' is out of range; expected a number of \(unit) from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }
}
