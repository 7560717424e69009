import FoundationEssentials
import LocationKit
import Platform

/// All members of a record, one per line, for a dialog. Unknown members are left out.
enum Details {
  static func text(of location: Location) -> String {
    let rows: [(String, String?)] = [
      ("time", location.timestamp.map(UTCText.dateAndTime)),
      ("latitude", fixedPoint(location.coordinate.latitude, decimals: 8) + "°"),
      ("longitude", fixedPoint(location.coordinate.longitude, decimals: 8) + "°"),
      ("altitude", metres(location.altitude)),
      ("ellipsoidalAltitude", metres(location.ellipsoidalAltitude)),
      ("horizontalAccuracy", metres(location.horizontalAccuracy)),
      ("verticalAccuracy", metres(location.verticalAccuracy)),
      ("course", location.course.map { fixedPoint($0, decimals: 2) + "°" }),
      ("courseAccuracy", location.courseAccuracy.map { fixedPoint($0, decimals: 2) + "°" }),
      ("speed", perSecond(location.speed)),
      ("speedAccuracy", perSecond(location.speedAccuracy)),
      ("climb", perSecond(location.climb)),
      ("mode", "\(location.mode.rawValue)"),
      ("doubts", location.doubts?.names),
      ("status", location.quality?.status?.rawValue),
      ("hdop", factor(location.quality?.hdop)),
      ("vdop", factor(location.quality?.vdop)),
      ("pdop", factor(location.quality?.pdop)),
      ("tdop", factor(location.quality?.tdop)),
      ("gdop", factor(location.quality?.gdop)),
      ("geoidSeparation", metres(location.quality?.geoidSeparation)),
      ("dgpsAge", location.quality?.dgpsAge.map { fixedPoint($0, decimals: 1) + " s" }),
      ("dgpsStation", location.quality?.dgpsStation.map(String.init)),
      ("satellitesUsed", location.satellitesUsed.map(String.init)),
      ("satellitesSeen", location.satellitesSeen.map(String.init)),
      ("source", location.sourceInformation?.device),
      ("simulated", location.sourceInformation.map { $0.isSimulatedBySoftware ? "yes" : "no" }),
    ]
    return text(rows)
  }

  /// The rows with known values, one below the other.
  static func text(_ rows: [(name: String, value: String?)]) -> String {
    let known = rows.compactMap { row in row.value.map { (row.name, $0) } }
    let width = known.map(\.0.count).max() ?? 0
    return known.map { $0 + String(repeating: " ", count: width - $0.count + 2) + $1 }.joined(separator: "\n")
  }

  static func metres(_ value: Double?) -> String? { value.map { fixedPoint($0, decimals: 2) + " m" } }

  private static func factor(_ value: Double?) -> String? { value.map { fixedPoint($0, decimals: 2) } }

  private static func perSecond(_ value: Double?) -> String? { value.map { fixedPoint($0, decimals: 2) + " m/s" } }
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
