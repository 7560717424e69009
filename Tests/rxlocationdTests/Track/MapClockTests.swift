import Foundation
import LocationKit
import TestSupport
import Testing
import TrackDocuments
import Tracks

@testable import MapPage
@testable import rxlocationd

/// What the map page is told of the zone of a track's times.
@Suite(.inTurn) struct MapClockTests {
  // Summer time ends in Europe.
  private let change = Date(timeIntervalSince1970: 1_792_890_000)

  private var berlin: TrackTimeZone {
    TrackTimeZone { [change] time in time < change ? (7200, "CEST") : (3600, "CET") }
  }

  @Test func aChangeIsFoundToTheSecond() throws {
    let start = change - 20 * 86_400.5
    let clock = try #require(MapClock(berlin, from: start, to: change + 86_400))
    #expect(
      clock.changes == [
        .init(time: start, offset: 7200, name: "CEST"), .init(time: change, offset: 3600, name: "CET"),
      ])
    #expect(clock.change(at: change - 1).name == "CEST" && clock.change(at: change).name == "CET")
    #expect(clock.change(at: start - 1).name == "CEST", "the first one holds before as well")
  }

  @Test func aTrackOfOneMomentHasItsClock() throws {
    #expect(try #require(MapClock(berlin, from: change, to: change)).changes.map(\.name) == ["CET"])
  }

  @Test func theWayHasTheSpeedsOfTheFiguresAndTheClockOfTheirTimes() throws {
    var drawing = TrackDrawing(settings: TrackSettings())
    for minute in 0..<5 {
      let place = LocalPlane(at: LocationCoordinate2D(latitude: 50, longitude: 8))
        .coordinate(east: 0, north: 600 * Double(minute))
      drawing.add(.fix(Location(coordinate: place, timestamp: change + 60 * Double(minute - 2))))
    }
    let recording = drawing.recording("track", berlin)
    let clock = try #require(recording.clock)
    #expect(clock.changes.map(\.name) == ["CEST", "CET"])
    let figures = try #require(try JSONSerialization.jsonObject(with: Data(recording.figures)) as? [String: Any])
    #expect(figures["start"] as? String == "2026-10-25T00:58:00.000Z")
    #expect(abs(try #require(figures["greatestSpeed"] as? Double) - 10) < 0.1)
    let speeds = recording.trail.points.compactMap(\.speed)
    #expect(speeds.count == 4 && speeds.allSatisfy { abs($0 - 10) < 0.1 }, "\(speeds)")
  }
}
