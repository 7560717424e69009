import ArgumentParser
import NMEA
import Platform

/// The settings of `replay`.
struct ReplayOptions: ParsableArguments {
  @Option(
    "speed", "factor", "How many times the recorded pace, or max for as fast as the machine can. (default: 1)",
    NMEASource.Speed.init(parsing:))
  var speed: NMEASource.Speed?

  @Flag(help: "Begin again at the end of the last recording.")
  var loop = false

  @Flag(help: "Stop at the first bad line with its file, line and reason, status 65.")
  var strict = false

  @Flag(help: "Show no progress line; --speed max has one on a terminal.")
  var quiet = false
}

extension NMEASource.Speed {
  /// Parses `max` or a factor above 0 for `--speed`.
  init(parsing text: String) throws(SettingError) {
    if text == "max" {
      self = .max
    } else if let factor = Double(decimal: text), factor > 0 {
      self = .factor(factor)
    } else {
      throw SettingError("'\(text)' is no speed; expected 'max' or a factor above 0 such as 1, 2.5 or 100")
    }
  }
}
