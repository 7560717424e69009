import NMEA

extension NMEASource.Speed {
  /// Reads `max` or a factor above 0, as `--speed` takes them.
  init(parsing text: String) throws(SettingError) {
    if text == "max" {
      self = .max
    } else if let factor = Double(text), factor > 0, factor.isFinite {
      self = .factor(factor)
    } else {
      throw SettingError("'\(text)' is no speed; expected 'max' or a factor above 0 such as 1, 2.5 or 100")
    }
  }
}
