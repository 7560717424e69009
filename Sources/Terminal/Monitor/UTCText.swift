import FoundationEssentials
import Platform

/// Times for a person, in UTC as the receiver has them.
enum UTCText {
  /// `07:36:03`.
  static func time(_ date: Date) -> String {
    let seconds = seconds(date)
    let ofDay = seconds - seconds / 86_400 * 86_400
    return [ofDay / 3600, ofDay / 60 % 60, ofDay % 60].map(twoDigits).joined(separator: ":")
  }

  /// `2024-02-24 07:36:03Z`.
  static func dateAndTime(_ date: Date) -> String {
    let day = CivilDate(daysSince1970: seconds(date) / 86_400)
    return "\(day.year)-\(twoDigits(day.month))-\(twoDigits(day.day)) \(time(date))Z"
  }

  /// Of the years that can be written; whole seconds.
  private static func seconds(_ date: Date) -> Int {
    let seconds = date.timeIntervalSince1970
    return seconds.isFinite ? Int(max(0, min(seconds, 253_402_300_799))) : 0
  }

  private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
