/// A day of the Gregorian calendar and a time of day, as a person reads them.
public struct CivilTime: Equatable, Sendable {
  /// The day.
  public var day: CivilDate
  /// Whole seconds since midnight.
  public var secondOfDay: Int

  /// Creates the time so many seconds after 1970-01-01 00:00:00, without their fraction. Years beyond 1 … 9999 are no times
  /// of a receiver: the nearest that is one stands for them, and 1970 for what is no number.
  public init(secondsSince1970 seconds: Double) {
    let bounded = Int(seconds.isFinite ? min(max(seconds, -62_135_596_800), 253_402_300_799) : 0)
    let (days, rest) = bounded.quotientAndRemainder(dividingBy: 86_400)
    day = CivilDate(daysSince1970: rest < 0 ? days - 1 : days)
    secondOfDay = rest < 0 ? rest + 86_400 : rest
  }

  /// As "2026-05-06".
  public var date: String {
    let year = String(day.year)
    let padding = String(repeating: "0", count: max(0, 4 - year.count))
    return "\(padding)\(year)-\(Self.twoDigits(day.month))-\(Self.twoDigits(day.day))"
  }

  /// As "23:54:00".
  public var time: String { "\(minutes):\(Self.twoDigits(secondOfDay % 60))" }

  /// As "23:54".
  public var minutes: String { "\(Self.twoDigits(secondOfDay / 3600)):\(Self.twoDigits(secondOfDay / 60 % 60))" }

  private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
