public import FoundationEssentials
import LocationKit
import Platform

/// Numbers for a person: few digits, a unit, and a decimal point in every locale.
enum Words {
  /// A number with exactly `places` decimals, halves rounded away from zero. "0" never has a sign.
  static func decimal(_ value: Double, _ places: Int) -> String {
    value.isNaN ? "?" : fixedPoint(value, decimals: places)
  }

  /// A number with as many decimals as the step of an axis: a step of 0.05 gives two.
  static func decimal(_ value: Double, step: Double) -> String { decimal(value, RoundStep.places(of: step)) }

  /// A number without trailing zeros: 12.50 is "12.5" and 12.0 is "12".
  static func trimmed(_ value: Double, _ places: Int) -> String {
    let text = decimal(value, places)
    guard text.contains(".") else { return text }
    var end = text[...]
    while end.last == "0" { end = end.dropLast() }
    if end.last == "." { end = end.dropLast() }
    return end == "-0" ? "0" : String(end)
  }
}

extension LocationCoordinate2D {
  func words(_ format: CoordinateFormat) -> String {
    switch format {
    case .degrees: "\(fixedPoint(latitude, decimals: 5)), \(fixedPoint(longitude, decimals: 5))"
    case .minutes:
      "\(Self.minutes(latitude, latitude < 0 ? "S" : "N")), \(Self.minutes(longitude, longitude < 0 ? "W" : "E"))"
    case .grid: gridLocator
    }
  }

  private static func minutes(_ degrees: LocationDegrees, _ letter: String) -> String {
    let thousandths = Int((abs(degrees) * 60_000).rounded())
    let minutes = fixedPoint(Double(thousandths % 60_000) / 1000, decimals: 3)
    return "\(thousandths / 60_000)° \(minutes)' \(letter)"
  }
}

/// The clock for times that a person reads.
///
/// Callers pass the offset from UTC as a function of the time; this module reads no file and no environment for it.
public struct TrackTimeZone: Sendable {
  /// The seconds to add to UTC at a time, and the name of the zone at that time, such as "CEST".
  public var offset: @Sendable (Date) -> (seconds: Int, abbreviation: String)

  /// Creates a zone.
  public init(offset: @escaping @Sendable (Date) -> (seconds: Int, abbreviation: String)) { self.offset = offset }

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
