import FoundationEssentials
import LocationKit

extension NMEABench {
  /// The location as a record of the daemon's stream.
  static func jsonLine(_ location: Location) -> String {
    var line = "{\"type\":\"location\""
    if let timestamp = location.timestamp {
      // The formatter truncates fractions of a millisecond.
      line +=
        ",\"time\":\"\(timestamp.addingTimeInterval(0.0005).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))\""
    }
    line += ",\"latitude\":\(location.coordinate.latitude),\"longitude\":\(location.coordinate.longitude)"
    func add(_ name: String, _ value: Double?) {
      if let value { line += ",\"\(name)\":\(value)" }
    }
    add("altitude", location.altitude)
    add("ellipsoidalAltitude", location.ellipsoidalAltitude)
    add("horizontalAccuracy", location.horizontalAccuracy)
    add("verticalAccuracy", location.verticalAccuracy)
    add("course", location.course)
    add("speed", location.speed)
    add("climb", location.climb)
    return line + ",\"mode\":\(location.mode.rawValue)}"
  }
}
