import Foundation
import Serving
import LocationKit
import TestSupport
import Testing

@testable import MapPage
@testable import Tracks

private struct Past: MapHistory {
  var recording: @Sendable (MapPeriod) throws(MapHistoryError) -> MapRecording = { _ throws(MapHistoryError) in
    throw MapHistoryError("none")
  }

  func recording(of period: MapPeriod, while goesOn: () -> Bool) throws(MapHistoryError) -> MapRecording {
    try recording(period)
  }

  func document(of period: MapPeriod, while goesOn: () -> Bool) throws(MapHistoryError) -> [UInt8] {
    guard period.since.timeIntervalSince1970 > 0 else { throw MapHistoryError("too long") }
    return Array("<gpx/>".utf8)
  }

  func quarters(while goesOn: () -> Bool) -> [Int64] { [3, 5] }
}

@MainActor @Suite(.inTurn) struct MapHistoryTests {
  @Test func itLooksBackOnAPeriod() async throws {
    let asked = Recorder<MapPeriod>()
    let fixture = try await PageFixture { configuration in
      configuration.history = Past { period throws(MapHistoryError) in
        asked.record(period)
        if period.clock.changes[0].offset < 0 { throw MapHistoryError("the journal is gone") }
        var recording = MapRecording()
        recording.trail.append(fix(1, speed: 3))
        recording.figures = Array(#"{"distance":1000}"#.utf8)
        recording.stops = [
          Stop(
            coordinate: LocationCoordinate2D(latitude: 8, longitude: 9), arrival: Date(timeIntervalSince1970: 60),
            departure: Date(timeIntervalSince1970: 360), fixes: 0..<1)
        ]
        recording.clock = period.clock
        return recording
      }
    }
    #expect(try await fixture.state()["history"] as? Bool == true)
    let times = "since=2024-01-01T00:00:00Z&until=2024-01-02T00:00:00Z"
    let answer = try await fixture.get("/history.json?\(times)&offset=7200,2024-01-01T12:00:00Z,3600")
    #expect(answer.head.contains("application/json") && answer.head.contains("no-store"))
    let day = 1_704_067_200.0
    #expect(
      asked.values == [
        MapPeriod(
          since: Date(timeIntervalSince1970: day), until: Date(timeIntervalSince1970: day + 86_400),
          clock: try #require(
            MapClock([
              .init(time: .distantPast, offset: 7200, name: "UTC+02:00"),
              .init(time: Date(timeIntervalSince1970: day + 43_200), offset: 3600, name: "UTC+01:00"),
            ])))
      ])
    let body = try members(of: answer.body)
    let point = (body["trail"] as? [[Any]])?.first ?? []
    #expect(point.count == 5 && point[4] is NSNull, "it has no altitude")
    #expect(body["summary"] as? [String: Int] == ["distance": 1000])
    let place = (body["places"] as? [[String: Any]])?.first
    #expect(place?["time"] as? Double == 60 && place?["duration"] as? Double == 300)
    let change = (body["clock"] as? [[String: Any]])?.last
    #expect(change?["since"] as? Double == day + 43_200 && change?["offset"] as? Double == 3600)
    #expect(change?["name"] as? String == "UTC+01:00")

    let wrongOffset =
      "offset: expected seconds east of UTC such as 7200, and for each change its time and the seconds from then on, "
      + "such as 7200,2026-10-25T01:00:00Z,3600\n"
    let failed = try await fixture.get("/history.json?\(times)&offset=-3600")
    #expect(failed.head.contains(" 503 ") && failed.body == "the journal is gone\n")
    for (query, message) in [
      ("since=2024-01-01T00:00:00Z", "until: expected a time in UTC such as 2024-02-24T07:36:03Z\n"),
      ("since=2024-01-01T00:00:00Z&until=2024-01-01T00:00:00Z", "until: expected a time after since\n"),
      ("\(times)&offset=east", wrongOffset), ("\(times)&offset=90000", wrongOffset),
      ("\(times)&offset=7200,2024-01-01T12:00:00Z", wrongOffset),
      ("\(times)&offset=0,2024-01-01T12:00:00Z,0,2024-01-01T12:00:00Z,0", wrongOffset),
    ] {
      let answer = try await fixture.get("/history.json?" + query)
      #expect(answer.head.contains(" 400 ") && answer.body == message)
    }
    #expect(asked.values.count == 2)
    await fixture.close()
  }

  @Test func earlierPeriodsCanBeDownloadedAndTheirTimesAreKnown() async throws {
    let fixture = try await PageFixture { $0.history = Past() }
    let answer = try await fixture.get("/history.gpx?since=2024-01-01T00:00:00Z&until=2024-01-02T00:00:00Z")
    #expect(answer.head.contains("application/gpx+xml") && answer.body == "<gpx/>")
    let failed = try await fixture.get("/history.gpx?since=1970-01-01T00:00:00Z&until=2024-01-02T00:00:00Z")
    #expect(failed.head.contains(" 503 ") && failed.body == "too long\n")
    #expect(try await fixture.get("/quarters.json").body == "[3,5]")
    await fixture.close()
  }
}
