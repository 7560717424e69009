import FoundationEssentials
import Platform

/// Times for a person, in UTC like the receiver's.
enum UTCText {
  /// `07:36:03`.
  static func time(_ date: Date) -> String { civil(date).time }

  /// `2024-02-24 07:36:03Z`.
  static func dateAndTime(_ date: Date) -> String { "\(civil(date).date) \(time(date))Z" }

  private static func civil(_ date: Date) -> CivilTime {
    CivilTime(secondsSince1970: max(0, date.timeIntervalSince1970))
  }
}
