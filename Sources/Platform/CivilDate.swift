/// A date of the proleptic Gregorian calendar in UTC. It needs no calendar library.
package struct CivilDate: Equatable, Sendable {
  /// The year; year 0 precedes year 1.
  package var year: Int
  package var month: Int
  package var day: Int

  package init?(year: Int, month: Int, day: Int) {
    guard 1...12 ~= month, 1...Self.length(ofMonth: month, year: year) ~= day else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
  }

  /// Creates the date `days` days after 1970-01-01, or before it if `days` is negative.
  package init(daysSince1970 days: Int) {
    // The eras of 400 years begin on 1 March, which puts the leap day at the end.
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  package var daysSince1970: Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

/// A day of the Gregorian calendar and a time of day in UTC.
package struct CivilTime: Equatable, Sendable {
  package var day: CivilDate
  /// Whole seconds since midnight.
  package var secondOfDay: Int

  /// Creates the time `seconds` seconds after 1970-01-01 00:00:00, without the fraction. Times outside the years
  /// 1 … 9999 become the nearest time within them, and a value that is not finite becomes 1970.
  package init(secondsSince1970 seconds: Double) {
    let bounded = Int(seconds.isFinite ? min(max(seconds, -62_135_596_800), 253_402_300_799) : 0)
    let (days, rest) = bounded.quotientAndRemainder(dividingBy: 86_400)
    day = CivilDate(daysSince1970: rest < 0 ? days - 1 : days)
    secondOfDay = rest < 0 ? rest + 86_400 : rest
  }

  /// The date, such as "2026-05-06".
  package var date: String {
    let year = String(day.year)
    let padding = String(repeating: "0", count: max(0, 4 - year.count))
    return "\(padding)\(year)-\(twoDigits(day.month))-\(twoDigits(day.day))"
  }

  /// The time of day, such as "23:54:00".
  package var time: String { "\(minutes):\(twoDigits(secondOfDay % 60))" }

  /// The time of day without seconds, such as "23:54".
  package var minutes: String { "\(twoDigits(secondOfDay / 3600)):\(twoDigits(secondOfDay / 60 % 60))" }
}
