import Glibc
import LocationKit
import Replay
import Testing
import TestSupport

@testable import GPSD

@Suite struct GPSDRecordExcerptTests {
  @Test func anOffsetKeepsDistances() {
    var numbers = SplitMix(state: 46)
    for _ in 0..<2000 {
      let offset = CoordinateOffset()
      let place = LocationCoordinate2D(
        latitude: .random(in: -60...60, using: &numbers), longitude: .random(in: -180...180, using: &numbers))
      // Up to about 30 km away.
      let other = LocationCoordinate2D(
        latitude: min(60, max(-60, place.latitude + .random(in: -0.2...0.2, using: &numbers))),
        longitude: remainder(place.longitude + .random(in: -0.2...0.2, using: &numbers), 360))
      let distance = place.distance(from: other)
      let moved = offset.moved(place).distance(from: offset.moved(other))
      #expect(abs(moved - distance) <= distance * 0.001, "\(place) \(other)")
    }
  }

  @Test func onlyReportsWhosePlacesCanBeMovedAreKept() throws {
    let lines = [
      #"1764124010.000001: {"class":"TPV","mode":3,"ecefx":3980574.2,"lat":51.5,"lon":-0.125,"altHAE":120.1,"altMSL":70.5}"#,
      #"1764124010.000002: {"class":"SKY","satellites":[{"PRN":1,"el":45.0,"az":120.0,"ss":40,"used":true}],"hdop":1.1}"#,
      #"1764124010.000003: {"class":"AIS","lat":1,"lon":2}"#,
      #"1764124010.000004: {"class":"DEVICE","path":"/dev/a"}"#,
    ]
    let input = ReplayInput(name: "record", bytes: Array(lines.map { $0 + "\n" }.joined().utf8))
    let whole = try GPSDRecordExcerpt(of: [input], seconds: 600, movedBy: nil)
    #expect(String(decoding: whole.text, as: UTF8.self) == lines.map { $0 + "\n" }.joined())
    let moved = try GPSDRecordExcerpt(of: [input], seconds: 600, movedBy: CoordinateOffset())
    let text = String(decoding: moved.text, as: UTF8.self)
    #expect(moved.count == 3)
    #expect(text.contains(#"{"class":"SKY","satellites":[{"PRN":1,"ss":40,"used":true}],"hdop":1.1}"#))
    for trace in ["ecefx", "51.5,", "-0.125,", "altHAE", ":70.5}", "AIS"] { #expect(!text.contains(trace)) }
  }

  @Test func theLastSecondsOfSeveralPiecesAreKept() throws {
    let pieces = [0..<10, 10..<20].map { seconds in
      ReplayInput(
        name: "piece",
        bytes: Array(seconds.map { "17641240\(10 + $0).000000: {\"class\":\"TPV\",\"mode\":1}\n" }.joined().utf8))
    }
    let excerpt = try GPSDRecordExcerpt(of: pieces, seconds: 12, movedBy: nil)
    #expect(excerpt.count == 13 && excerpt.duration == 12)
  }
}
