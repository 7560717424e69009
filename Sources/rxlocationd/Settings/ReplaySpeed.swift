/// How fast a recording is played: `--speed FACTOR|max`.
enum ReplaySpeed: Sendable, Hashable {
  /// As fast as the machine can.
  case max
  /// That many times the recorded pace.
  case factor(Double)

  /// Reads `max` or a number above 0.
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
