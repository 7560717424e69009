import Glibc

/// Steps of axes: 1, 2 or 5 times a power of ten, and for times the divisions of a clock.
enum RoundStep {
  /// The smallest step that is at least `value`; 1 if `value` is not positive.
  static func atLeast(_ value: Double) -> Double {
    guard value > 0, value.isFinite else { return 1 }
    let power = pow(10, floor(log10(value)))
    // The power may be slightly off after rounding, so the next one is tried as well.
    return [1, 2, 5, 10, 20].map { $0 * power }.first { $0 >= value * (1 - 1e-9) } ?? 10 * power
  }

  /// The largest step that is at most `value`; 1 if `value` is not positive.
  static func atMost(_ value: Double) -> Double {
    guard value > 0, value.isFinite else { return 1 }
    let power = pow(10, floor(log10(value)))
    return [5, 2, 1, 0.5].map { $0 * power }.first { $0 <= value * (1 + 1e-9) } ?? power
  }

  /// The smallest step of a clock or a calendar that is at least `seconds`, in seconds.
  static func ofTime(atLeast seconds: Double) -> Double {
    let minute = 60.0
    let hour = 3600.0
    let steps = [
      1, 2, 5, 10, 15, 30, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute, hour, 2 * hour,
      3 * hour, 6 * hour, 12 * hour,
    ]
    return steps.first { $0 >= seconds } ?? atLeast(seconds / day) * day
  }

  /// The smallest step of an angle that is at least `degrees`: like `atLeast`, but divisors of a circle above 10.
  static func ofAngle(atLeast degrees: Double) -> Double {
    degrees > 10 ? [15, 20, 30, 45, 60, 90].first { $0 >= degrees } ?? 180 : atLeast(degrees)
  }

  static let day = 86_400.0

  /// The number of decimals that a step needs.
  static func places(of step: Double) -> Int {
    var places = 0
    var scaled = step
    while places < 9 && (scaled - scaled.rounded()).magnitude > 1e-6 * scaled {
      scaled *= 10
      places += 1
    }
    return places
  }

  /// The multiples of `step` from `low` to `high`, both included; at most a thousand.
  static func multiples(of step: Double, from low: Double, to high: Double) -> [Double] {
    let first = (low / step - 1e-9).rounded(.up)
    let last = (high / step + 1e-9).rounded(.down)
    guard last >= first, last - first < 1000 else { return [] }
    return stride(from: first, through: last, by: 1).map { $0 * step }
  }
}
