public import FoundationEssentials
import Platform

/// Which clock the times for a person are written by.
///
/// Only the offset from UTC is asked for, at a time; this module reads no file and no environment for it.
public struct TrackTimeZone: Sendable {
  /// Seconds to add to UTC at a time, and what the zone is called then, such as "CEST".
  public var offset: @Sendable (Date) -> (seconds: Int, abbreviation: String)

  /// Creates a zone.
  public init(offset: @escaping @Sendable (Date) -> (seconds: Int, abbreviation: String)) {
    self.offset = offset
  }

  /// Coordinated universal time.
  public static let utc = TrackTimeZone { _ in (0, "UTC") }
}

extension TrackTimeZone {
  /// Day and time of day of a moment, to the nearest second.
  struct Civil: Equatable {
    var day: CivilDate
    var secondOfDay: Int

    /// As "2026-05-06".
    var date: String {
      let year = day.year
      let text = String(year.magnitude)
      let padded = String(repeating: "0", count: max(0, 4 - text.count)) + text
      return "\(year < 0 ? "-" : "")\(padded)-\(Words.twoDigits(day.month))-\(Words.twoDigits(day.day))"
    }

    /// As "23:54:00".
    var time: String { "\(minutes):\(Words.twoDigits(secondOfDay % 60))" }

    /// As "23:54".
    var minutes: String { "\(Words.twoDigits(secondOfDay / 3600)):\(Words.twoDigits(secondOfDay / 60 % 60))" }
  }

  func civil(_ time: Date) -> Civil {
    let seconds = (time.timeIntervalSince1970 + Double(offset(time).seconds)).rounded()
    // Years beyond these are no times of a receiver.
    let bounded = Int(seconds.isFinite ? min(max(seconds, -62_135_596_800), 253_402_300_799) : 0)
    let (days, rest) = bounded.quotientAndRemainder(dividingBy: 86_400)
    return Civil(
      day: CivilDate(daysSince1970: rest < 0 ? days - 1 : days), secondOfDay: rest < 0 ? rest + 86_400 : rest)
  }

  /// "2026-05-06 23:54:00".
  func text(_ time: Date) -> String {
    let civil = civil(time)
    return "\(civil.date) \(civil.time)"
  }

  /// The day of a moment here as "2026-05-06".
  public func day(of time: Date) -> String { civil(time).date }
}
