/// The proleptic Gregorian calendar, without a calendar library.
enum CivilDate {
  /// The years that gpsd takes; in nanoseconds since 1970 they fit 64 bits with room to spare.
  static let years = 1900...2200
  /// Days from 1970-01-01 to 2201-01-01.
  static let end = 84_371

  /// Days from 1970-01-01 to the given date; `nil` when there is no such date.
  static func days(year: Int, month: Int, day: Int) -> Int? {
    guard 1...12 ~= month, years ~= year, 1...length(ofMonth: month, year: year) ~= day else { return nil }
    // Years that begin in March put the leap day at the end.
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
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
