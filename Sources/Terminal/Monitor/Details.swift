import FoundationEssentials
import LocationKit
import Platform
import Records

/// All members of a record, one per line, for a dialog. Unknown members are left out.
enum Details {
  /// The units of the numbers that are not metres.
  private static let units = [
    "course": "°", "courseAccuracy": "°", "speed": " m/s", "speedAccuracy": " m/s", "climb": " m/s", "dgpsAge": " s",
    "hdop": "", "vdop": "", "pdop": "", "tdop": "", "gdop": "",
  ]

  static func text(of location: Location) -> String {
    text(RecordMember.location.map { ("\($0.name)", value(of: $0, in: location)) })
  }

  private static func value(of member: RecordMember<Location>, in location: Location) -> String? {
    switch member.access {
    case .time(let get, _): get(location).map(UTCText.dateAndTime)
    case .angle(let get, _): get(location).map { fixedPoint($0, decimals: 8) + "°" }
    case .measure(let get, _): get(location).map { fixedPoint($0, decimals: 2) + (units["\(member.name)"] ?? " m") }
    case .whole(let get, _): get(location).map(String.init)
    case .text(let get, _): get(location)
    case .flag(let get, _): get(location).map { $0 ? "yes" : "no" }
    }
  }

  /// The rows with known values, one below the other.
  static func text(_ rows: [(name: String, value: String?)]) -> String {
    let known = rows.compactMap { row in row.value.map { (row.name, $0) } }
    let width = known.map(\.0.count).max() ?? 0
    return known.map { $0 + String(repeating: " ", count: width - $0.count + 2) + $1 }.joined(separator: "\n")
  }
}

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
