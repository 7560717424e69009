/// A day of the Gregorian calendar and a time of day in UTC.
public struct CivilTime: Equatable, Sendable {
  /// The day.
  public var day: CivilDate
  /// Whole seconds since midnight.
  public var secondOfDay: Int

  /// Creates the time `seconds` seconds after 1970-01-01 00:00:00, without the fraction. Times outside the years
  /// 1 … 9999 become the nearest time within them, and a value that is not finite becomes 1970.
  public init(secondsSince1970 seconds: Double) {
    let bounded = Int(seconds.isFinite ? min(max(seconds, -62_135_596_800), 253_402_300_799) : 0)
    let (days, rest) = bounded.quotientAndRemainder(dividingBy: 86_400)
    day = CivilDate(daysSince1970: rest < 0 ? days - 1 : days)
    secondOfDay = rest < 0 ? rest + 86_400 : rest
  }

  /// The date, such as "2026-05-06".
  public var date: String {
    let year = String(day.year)
    let padding = String(repeating: "0", count: max(0, 4 - year.count))
    return "\(padding)\(year)-\(twoDigits(day.month))-\(twoDigits(day.day))"
  }

  /// The time of day, such as "23:54:00".
  public var time: String { "\(minutes):\(twoDigits(secondOfDay % 60))" }

  /// The time of day without seconds, such as "23:54".
  public var minutes: String { "\(twoDigits(secondOfDay / 3600)):\(twoDigits(secondOfDay / 60 % 60))" }
}
