import Glibc
import LocationKit
import Replay
import Testing
import TestSupport

@testable import GPSD

@Suite(.inTurn) struct GPSDRecordExcerptTests {
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

  @Test(
    "texts and addresses are left out of a moved excerpt",
    arguments: [
      (#""ERROR","message":"no lat 51.5 here""#, #""ERROR","message":"…""#),
      (
        #""DEVICE","path":"/dev/a","driver":"at 51.5","subtype":"x","bps":9600"#,
        #""DEVICE","path":"/dev/a","bps":9600"#
      ),
      (
        #""DEVICES","devices":[{"class":"DEVICE","path":"ntrip://ann:word@caster.example/HOME","sernum":"1"}]"#,
        #""DEVICES","devices":[{"class":"DEVICE","path":"ntrip://…"}]"#
      ),
      (#""VERSION","release":"3.22","remote":"gpsd://home""#, #""VERSION","release":"3.22""#),
      (#""TPV","device":"tcp:\/\/home:1","mode":3"#, #""TPV","device":"tcp:\/\/…","mode":3"#),
      (
        #""CONNECTION","state":"waiting","reason":"home: refused","retryIn":1.5,"denied":true"#,
        #""CONNECTION","state":"waiting","reason":"…","retryIn":1.5,"denied":true"#
      ),
      (#""TPV","mode":3,"lat":51.5"#, #""TPV","mode":3"#), (#""TPV","lat":"51.5","lon":"1""#, #""TPV""#),
      (#""TPV","alt":[{"lat":51.5,"lon":1}],"mode":1"#, #""TPV","mode":1"#),
      (#""PPS","device":"/dev/pps0","shm":"x","precision":-20"#, #""PPS","device":"/dev/pps0","precision":-20"#),
      (#""CLOCK","step":70000,"note":"x""#, #""CLOCK","step":70000"#),
    ])
  func textsOfOthers(members: String, kept: String) throws {
    let lines = [members, kept].map { "1764124010.000001: {\"class\":\($0)}\n" }
    let input = ReplayInput(name: "record", bytes: Array(lines[0].utf8))
    let moved = try GPSDRecordExcerpt(of: [input], seconds: 600, movedBy: CoordinateOffset())
    #expect(String(decoding: moved.text, as: UTF8.self) == lines[1])
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
