import Foundation
import LocationKit
import Records

@testable import TrackDocuments
@testable import Tracks

enum Writing {
  /// A fix at some seconds after 2026-09-21 14:13:20 UTC.
  static func fix(
    _ latitude: Double, _ longitude: Double, _ seconds: Double? = nil, speed: Double? = nil, altitude: Double? = nil
  ) -> TrackEvent {
    var location = Location(latitude: latitude, longitude: longitude)
    location.timestamp = seconds.map { Date(timeIntervalSince1970: 1_790_000_000 + $0) }
    location.speed = speed
    location.altitude = altitude
    return .fix(location)
  }

  static func document(
    _ format: TrackFormat, _ events: [TrackEvent], name: String = "test", timeZone: TrackTimeZone = .utc,
    units: MeasurementUnits = .metric
  ) -> String {
    var writer = format.makeWriter(name: name, timeZone: timeZone, units: units)
    var summarizer = TrackSummarizer(settings: TrackSettings())
    var buffer = RecordBuffer()
    writer.begin(to: &buffer)
    for event in events {
      writer.append(event, to: &buffer)
      summarizer.add(event)
    }
    writer.end(TrackReport(name: name, summary: summarizer.finish()), to: &buffer)
    return buffer.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  static func events(of document: String) throws -> [TrackEvent] {
    var events: [TrackEvent] = []
    try TrackReader.read(.bytes(Array(document.utf8), name: "a")) { events.append($0) }
    return events
  }

  /// Tracks that are awkward to draw or to write.
  static let awkward: [(name: String, events: [TrackEvent])] = [
    ("nothing", []),
    ("gaps only", [.gap, .gap]),
    ("one fix", [fix(48, 11, 0, speed: 0, altitude: 500)]),
    ("one fix without a time", [fix(48, 11)]),
    ("one place", (0..<100).map { fix(0, 0, Double($0), speed: 0, altitude: 0) }),
    ("no times", (0..<50).map { fix(48 + Double($0) * 0.001, 11) }),
    ("across the antimeridian", [fix(-17, 179.999, 0, speed: 5), fix(-17, -179.999, 60, speed: 5)]),
    ("poles", [fix(90, 0, 0), fix(-90, 180, 1), fix(90, -180, 2)]),
    ("time runs backwards", [fix(48, 11, 100, speed: 1), fix(48.1, 11, 50, speed: 2), fix(48.2, 11, 0, speed: 3)]),
    ("segments of one fix", (0..<10).flatMap { [fix(48, 11 + Double($0), Double($0)), .gap] }),
    ("absurd values", [fix(48, 11, 1e18, speed: 1e300, altitude: -1e300), fix(49, 11, -1e18, speed: .nan)]),
  ]

  /// A drive with as many stops, some near each other.
  static func stops(_ count: Int) -> [TrackEvent] {
    var events: [TrackEvent] = []
    var (latitude, longitude, time) = (48.137, 11.575, 0.0)
    for stop in 0..<count {
      for _ in 0..<400 {
        events.append(fix(latitude, longitude, time, speed: 0, altitude: 520))
        time += 1
      }
      let step = stop % 2 == 0 ? 2e-5 : 6e-5
      for second in 0..<120 {
        latitude += step * cos(Double(stop))
        longitude += step * sin(Double(stop) * 1.7)
        events.append(fix(latitude, longitude, time, speed: 5 + sin(Double(second)), altitude: 520 + Double(second)))
        time += 1
      }
    }
    return events
  }
}
