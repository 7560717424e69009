public import FoundationEssentials
import Platform

/// The clock for times that a person reads.
///
/// Callers pass the offset from UTC as a function of the time; this module reads no file and no environment for it.
public struct TrackTimeZone: Sendable {
  /// The seconds to add to UTC at a time, and the name of the zone at that time, such as "CEST".
  public var offset: @Sendable (Date) -> (seconds: Int, abbreviation: String)

  /// Creates a zone.
  public init(offset: @escaping @Sendable (Date) -> (seconds: Int, abbreviation: String)) {
    self.offset = offset
  }

  /// Coordinated universal time.
  public static let utc = TrackTimeZone { _ in (0, "UTC") }
}

extension TrackTimeZone {
  /// The date and time of day of a moment, to the nearest second.
  func civil(_ time: Date) -> CivilTime {
    CivilTime(secondsSince1970: (time.timeIntervalSince1970 + Double(offset(time).seconds)).rounded())
  }

  /// "2026-05-06 23:54:00".
  func text(_ time: Date) -> String {
    let civil = civil(time)
    return "\(civil.date) \(civil.time)"
  }

  /// The date of a moment in this zone, such as "2026-05-06".
  public func day(of time: Date) -> String { civil(time).date }
}
