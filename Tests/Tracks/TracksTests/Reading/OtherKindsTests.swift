import Foundation
import LocationKit
import TestSupport
import Testing

@testable import Tracks

/// Kinds of recordings besides NMEA, JSON lines and GPX.
@Suite(.inTurn) struct OtherKindsTests {
  private let read: (String) -> ReadingTests.Outcome = { ReadingTests.read($0, name: "a") }

  private func time(_ seconds: Double) -> Date { Date(timeIntervalSince1970: 1_767_323_045 + seconds) }

  // MARK: NMEA before its date

  private func gga(_ time: String, _ minute: Int) -> String {
    NMEA.sentence("GPGGA,\(time),511\(minute).0000,N,00007.5000,W,1,08,0.9,35.0,M,47.0,M,,")
  }

  private func rmc(_ time: String, _ minute: Int) -> String {
    NMEA.sentence("GPRMC,\(time),A,511\(minute).0000,N,00007.5000,W,10.0,45.0,010225,,,A")
  }

  @Test func fixesBeforeTheFirstDateHaveTheDayOfThatDate() {
    // Midnight lies between them.
    let night = read(
      gga("235958.00", 0) + gga("235959.00", 1) + gga("000000.00", 2)
        + (1..<5).map { rmc("00000\($0).00", $0 + 2) }.joined())
    let midnight = 1_738_368_000.0
    #expect(night.fixes.map { $0.timestamp?.timeIntervalSince1970 } == (-2..<5).map { midnight + Double($0) })
    // Nothing is lost where no date ever comes.
    let undated = read((0..<8).map { gga("12000\($0).00", $0) }.joined())
    #expect(undated.error == nil && undated.fixes.count == 8 && undated.fixes.allSatisfy { $0.timestamp == nil })
  }

  /// Whatever a logger puts before each line and at its end.
  @Test(arguments: ["", "2025-02-01T12:00:00.100 ", "NMEA,", "\\s:GPS1*3C\\"], ["\n", "\r\n", "\r"])
  func theBeginningIsDatedWhateverSurroundsTheSentences(_ before: String, _ end: String) {
    let noon = 1_738_411_200.0
    let lines = (0..<4).map { gga("12000\($0).00", $0) } + (4..<8).map { rmc("12000\($0).00", $0) }
    let found = read(lines.map { before + $0.trimmingCharacters(in: .newlines) + end }.joined())
    #expect(found.error == nil)
    #expect(found.fixes.map { $0.timestamp?.timeIntervalSince1970 } == (0..<8).map { noon + Double($0) })
  }

  // MARK: CSV

  @Test func columnsAreKnownByTheirNames() {
    let found = read(
      """
      longitude,"note, or so",time,latitude,source,speed,mode,simulated
      11.25,"x, ""y"" z",2026-01-02T03:04:05Z,48.5,"a,""b"" c",3.5,3,true\r
      11.5,,2026-01-02T03:04:06Z,48.75,,,2,
      """)
    #expect(found.error == nil)
    #expect(
      found.fixes.map(\.coordinate) == [
        .init(latitude: 48.5, longitude: 11.25), .init(latitude: 48.75, longitude: 11.5),
      ])
    #expect(found.fixes.map(\.timestamp) == [time(0), time(1)])
    #expect(found.fixes.map(\.speed) == [3.5, nil] && found.fixes.map(\.mode) == [.threeDimensional, .twoDimensional])
    #expect(found.fixes.first?.sourceInformation == .init(device: #"a,"b" c"#, isSimulatedBySoftware: true))
  }

  @Test(arguments: [
    ("48,11", SkippedRecord.Kind.damaged, "has 2 fields, but the header has 3"),
    ("48,11,\"2026", .damaged, "a quotation mark that is not closed"),
    ("95,11,", .position, "not on earth: latitude 95"),
    (",11,", .position, "without its position"), ("48,eleven,", .position, "without its position"),
  ]) func aBadLineOfCSVIsPassedOver(bad: String, kind: SkippedRecord.Kind, words: String) {
    let good = "48,11,2026-01-02T03:04:05Z"
    // Where files were put together, there is another header.
    let found = read("latitude,longitude,time\n\(good)\n\(bad)\nlatitude,longitude,time\n\n\(good)")
    #expect(found.fixes.count == 2 && found.error?.reason == .skippedRecords && found.events[1] == .gap)
    #expect(found.skipped.map(\.kind) == [kind] && found.skipped.map(\.line) == [3])
    #expect(found.skipped.first?.problem.contains(words) == true, "\(found.skipped)")
  }

  /// A file that says its segments has gaps there, and silences within them; another one has gaps where its times show them.
  @Test func aColumnOfSegmentsSaysWhereTheGapsAre() {
    func kinds(_ segments: [String]?) -> String {
      let times = ["03:04:05", "03:04:06", "03:04:07", "09:04:08", "09:04:09", "09:04:10"]
      let lines = times.indices.map { index in
        "48,11,2026-01-02T\(times[index])Z" + (segments.map { ",\($0[index])" } ?? "") + "\n"
      }
      let header = "latitude,longitude,time" + (segments == nil ? "" : ",segment") + "\n"
      return read(header + lines.joined()).events.map { $0 == .gap ? "|" : $0 == .silence ? "…" : "x" }.joined()
    }
    #expect(kinds(nil) == "xxx|xxx")
    #expect(kinds(["1", "1", "1", "1", "2", "2"]) == "xxx…x|xx")
    #expect(kinds(["", "", "", "7", "7", "b"]) == "xxx|xx|x")
  }

  // MARK: OwnTracks Recorder

  @Test func theRecordersLocationsAreFixes() {
    let found = read(
      """
      2026-01-02T03:04:06Z\t*                 \t{"_type":"location","lat":48.5,"lon":11.25,"tst":1767323045,"acc":9,"alt":500,"vac":4,"vel":36,"cog":90,"inregions":["x"]}
      2026-01-02T03:04:07Z\tlwt               \t{"_type":"lwt","tst":1767323045}
      2026-01-02T03:04:07Z\t*                 \t{"_type":"location","lat":48.5,"lon":
      2026-01-02T03:04:08Z\t*                 \t{"_type":"location","lat":48.5,"tst":1767323046}
      2026-01-02T03:04:09Z\t*                 \t{"_type":"location","tst":1767323405,"lon":11.5,"lat":48.5}
      """)
    #expect(found.fixes.count == 2 && found.events.count == 2)
    let fix = found.fixes.first
    #expect(fix?.coordinate == .init(latitude: 48.5, longitude: 11.25) && fix?.timestamp == time(0))
    #expect(fix?.speed == 10 && fix?.course == 90 && fix?.altitude == 500 && fix?.mode == .threeDimensional)
    #expect(fix?.horizontalAccuracy == 9 && fix?.verticalAccuracy == 4)
    #expect(found.fixes.last?.timestamp == time(360) && found.fixes.last?.mode == .twoDimensional)
    #expect(found.skipped.map(\.kind) == [.damaged, .position] && found.skipped.map(\.line) == [3, 4])
  }

  // MARK: Routes and waypoints

  private let waypoint = #"<wpt lat="1" lon="2"><ele>9</ele><time>2026-01-02T03:04:05Z</time></wpt>"#
  private let route = #"<rte><name>x</name><rtept lat="1" lon="3"/><rtept lat="1" lon="4"><ele>7</ele></rtept></rte>"#

  @Test func routesAreReadWithoutATrackAndWaypointsWithoutEither() {
    let both = read("<gpx>\(waypoint)\(route)\(route)</gpx>")
    #expect(both.error == nil && both.fixes.map(\.coordinate.longitude) == [3, 4, 3, 4])
    #expect(
      both.fixes.map(\.altitude) == [nil, 7, nil, 7]
        && both.events.indices.filter { both.events[$0] == .gap } == [2, 5])
    let places = read("<gpx>\(waypoint)\(waypoint)</gpx>")
    #expect(places.error == nil && places.events.count == 4 && places.events[1] == .gap)
    #expect(places.fixes.map(\.timestamp) == [time(0), time(0)] && places.fixes.map(\.altitude) == [9, 9])
    // What comes before the end of a torn file is used.
    #expect(read("<gpx>\(route)").fixes.count == 2)
  }

  @Test func routesAndWaypointsBesideATrackAreLeftOut() {
    let track = #"<trk><trkseg><trkpt lat="5" lon="6"/></trkseg></trk>"#
    let bad = #"<wpt lat="95" lon="2"/><rte><rtept lat="x" lon="3"/></rte>"#
    for text in ["\(waypoint)\(bad)\(route)\(track)", "\(track)\(route)\(bad)\(waypoint)"] {
      let found = read("<gpx>\(text)</gpx>")
      #expect(found.error == nil && found.fixes.map(\.coordinate.longitude) == [6])
    }
    #expect(read("<gpx>\(bad)\(route)</gpx>").skipped.map(\.problem) == ["has a point without its position"])
  }

  // MARK: KML

  private func kml(_ inside: String) -> String {
    """
    <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Document>
    <Placemark><TimeStamp><when>2026-01-02T03:04:05Z</when></TimeStamp><Point><coordinates>1,2</coordinates></Point>
    </Placemark><Placemark>\(inside)</Placemark></Document></kml>
    """
  }

  private let when = (5...7).map { "<when>2026-01-02T03:04:0\($0)Z</when>" }
  private let coord = (1...3).map { "<gx:coord>11.\($0) 48.\($0) \($0)00</gx:coord>" }

  @Test func timesStandBesideTheirPositionsOrBeforeAll() {
    let before = when.joined() + "\n" + coord.joined()
    let beside = zip(when, coord).map { $0 + "\n" + $1 }.joined()
    for track in [before, beside, coord.joined() + when.joined()] {
      let found = read(kml("<gx:Track>\(track)</gx:Track>"))
      #expect(found.error == nil && found.events.last == .gap && found.events.count == 4)
      #expect(found.fixes.map(\.timestamp) == [time(0), time(1), time(2)])
      #expect(found.fixes.map(\.coordinate.latitude) == [48.1, 48.2, 48.3])
      #expect(
        found.fixes.map(\.altitude) == [100, 200, 300] && found.fixes.allSatisfy { $0.mode == .threeDimensional })
    }
  }

  @Test func linesHaveNoTimesAndTracksThatAreInterpolatedAreOne() {
    let line = "<LineString><coordinates>\n 11.1,48.1,5\n11.2,48.2\t11.3,48.3 </coordinates></LineString>"
    let found = read(kml(line))
    #expect(found.error == nil && found.fixes.map(\.altitude) == [5, nil, nil] && found.events.last == .gap)
    #expect(found.fixes.allSatisfy { $0.timestamp == nil } && found.fixes.last?.coordinate.longitude == 11.3)
    let tracks = zip(when, coord).map { "<gx:Track>\($0)\($1)</gx:Track>" }.joined()
    for (interpolate, gaps) in [
      ("<gx:interpolate>1</gx:interpolate>", 1), ("<gx:interpolate>0</gx:interpolate>", 3), ("", 3),
    ] {
      let events = read(kml("<gx:MultiTrack>\(interpolate)\(tracks)</gx:MultiTrack>")).events
      #expect(events.count { $0 == .gap } == gaps && events.count == 3 + gaps)
    }
    let joined = "<gx:MultiTrack><gx:interpolate>1</gx:interpolate>\(tracks)</gx:MultiTrack>"
    #expect(read(kml("\(joined)<gx:MultiTrack>\(tracks)</gx:MultiTrack>")).events.count { $0 == .gap } == 4)
  }

  @Test(arguments: [
    (
      "<when>2026-01-02T03:04:05Z</when>", "<gx:coord>1 x</gx:coord>", SkippedRecord.Kind.position,
      "an invalid position: '1 x'"
    ), ("<when>2026-01-02T03:04:05Z</when>", "<gx:coord>1</gx:coord>", .position, "an invalid position"),
    ("<when>2026-01-02T03:04:05Z</when>", "<gx:coord>1 95 3</gx:coord>", .position, "not on earth: latitude 95"),
    (
      "<when>2026-01-02T03:04:05Z</when>", "<gx:coord>1 " + String(repeating: "2", count: 1100) + "</gx:coord>",
      .damaged,
      "more than 1024 bytes"
    ), ("<when>2026-01-02T03:04:05Z</when>", "", .damaged, "4 times and 3 positions"),
  ]) func aBadPointOfKMLIsPassedOver(time: String, position: String, kind: SkippedRecord.Kind, words: String) {
    let found = read(kml("<gx:Track>\(time)\(when.joined())\(position)\(coord.joined())</gx:Track>"))
    #expect(found.skipped.map(\.kind) == [kind] && found.error?.reason == .skippedRecords)
    #expect(found.skipped.first?.problem.contains(words) == true, "\(found.skipped)")
    #expect(found.fixes.count == 3)
    if !position.isEmpty { #expect(found.fixes.map(\.timestamp) == [self.time(0), self.time(1), self.time(2)]) }
  }

  @Test func whatIsMissingInAKMLTrackIsNoFixAndNoFault() {
    let found = read(kml("<gx:Track>\(when.joined())\(coord[0])<gx:coord/>\(coord[2])</gx:Track>"))
    #expect(found.error == nil && found.fixes.map(\.timestamp) == [time(0), time(2)])
    let untimed = read(kml("<gx:Track>\(when[0])<when/>\(coord[0])\(coord[1])</gx:Track>"))
    #expect(untimed.error == nil && untimed.fixes.map(\.timestamp) == [time(0), nil])
  }

  // MARK: GeoJSON

  private let lines = """
    {"type":"FeatureCollection","features":[{"type":"Feature","properties":{"a":["x\\"]",1,null]},"geometry":
    {"type":"LineString","coordinates":[[11.1,48.1,500],[11.2,48.2],[11.3,48.3]]}},
    {"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"type":"stop"}},
    {"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[1,2],[3,4],[1,2]]]},"properties":null},
    {"type":"Feature","geometry":{"coordinates":[[[12.1,48.1],[12.2,48.2]],[[13.1,48.1],[13.2,48.2]]],
    "type":"MultiLineString"},"properties":{}}]}
    """

  @Test func linesOfGeoJSONAreSegments() {
    let found = read(lines)
    #expect(found.error == nil)
    #expect(found.fixes.map(\.coordinate.longitude) == [11.1, 11.2, 11.3, 12.1, 12.2, 13.1, 13.2])
    #expect(found.events.indices.filter { found.events[$0] == .gap } == [3, 6, 9])
    #expect(found.fixes.first?.ellipsoidalAltitude == 500 && found.fixes.first?.mode == .threeDimensional)
    // Written by others, on lines of its own.
    #expect(read("{\n  " + lines.dropFirst()).events == found.events)
  }

  @Test(arguments: [
    ("[1]", SkippedRecord.Kind.position), ("[1,null]", .position), ("[\"1\",2]", .position), ("[1,95]", .position),
    ("[181,5]", .position),
  ]) func aBadPositionOfGeoJSONIsPassedOver(bad: String, kind: SkippedRecord.Kind) {
    let found = read(#"{"type":"LineString","coordinates":[[1,2],"# + "\n\(bad),\n[3,4]]}")
    #expect(found.fixes.count == 2 && found.skipped.map(\.kind) == [kind] && found.skipped.map(\.line) == [2])
    #expect(found.error?.reason == .skippedRecords)
  }

  @Test(arguments: [
    ("[5,6", "ends in the middle of a value; what comes before is used"), ("[5,6]]}}", "is not JSON"),
    ("[5,six]]}", "is not JSON"), ("[5,6]}}", "is not JSON"), (String(repeating: "[", count: 1000), "is not JSON"),
  ]) func damagedGeoJSONEndsTheReadingWithItsLine(rest: String, words: String) {
    let found = read(#"{"type":"LineString","coordinates":[[1,2],[3,4],"# + "\n\(rest)")
    #expect(found.fixes.count >= 2 && found.error?.reason == .badLine(2, words))
  }

  /// RFC 7946 has a line cut there; the points of the cut are no fixes.
  @Test func linesThatWereCutAtTheAntimeridianAreOne() {
    func longitudes(_ lines: String) -> [Double?] {
      read(#"{"type":"MultiLineString","coordinates":[\#(lines)]}"#).events.map { $0.fix?.coordinate.longitude }
    }
    #expect(
      longitudes("[[179,1],[180,1.5]],[[-180,1.5],[-179,2],[-180,3]],[[180,3],[178,4]]") == [179, -179, 178, nil])
    // Those of other latitudes, and two on the same side, are not.
    #expect(longitudes("[[179,1],[180,1.5]],[[-180,1.6],[-179,2]]") == [179, 180, nil, -180, -179, nil])
    #expect(longitudes("[[179,1],[180,1.5]],[[180,1.5],[179,2]]") == [179, 180, nil, 180, 179, nil])
    #expect(longitudes("[[179,1],[180,1],[180,1]],[[-180,1],[-179,2]]") == [179, 180, -179, nil])
    #expect(longitudes("[[179,1],[180,1.5]]") == [179, 180, nil])
  }

  // MARK: Pieces

  @Test func piecesChangeNothing() throws {
    let line = "<LineString><coordinates>11.1,48.1,5 11.2,48.2 x 11.3,48.3</coordinates></LineString>"
    let document = kml(line + "<gx:Track>\(when.joined())\(coord.joined())</gx:Track>")
    try expectTheSameOfPieces(document, count: 9) { try XMLTrackDecoder() }
    try expectTheSameOfPieces(lines, count: 10) { GeoJSONTrackDecoder() }
    let sentences = (0..<4).map { gga("12000\($0).00", $0) } + (4..<8).map { rmc("12000\($0).00", $0) }
    try expectTheSameOfPieces(sentences.joined(), count: 8) { NMEATrackDecoder(device: "a") }
    let fix = "48,11,2026-01-02T03:04:05Z"
    try expectTheSameOfPieces("latitude,longitude,time\n\(fix)\n\(fix)\n", count: 2) { LineDecoder(CSVLines()) }
    try expectTheSameOfPieces("<gpx>\(route)\(route)</gpx>", count: 6) { try XMLTrackDecoder() }
    let record = #"{"type":"location","latitude":1,"longitude":2}"#
    try expectTheSameOfPieces("\(record)\n\(record)", count: 2) { LineDecoder(NDJSONLines()) }
  }

  private func expectTheSameOfPieces(_ text: String, count: Int, _ makeDecoder: () throws -> any TrackDecoder) throws {
    var all: [[DecodedRecord]] = []
    for size in [text.utf8.count, 1, 3, 7] {
      var decoder = try makeDecoder()
      var records: [DecodedRecord] = []
      let bytes = Array(text.utf8)
      for start in stride(from: 0, to: bytes.count, by: size) {
        try bytes[start..<min(bytes.count, start + size)].withUnsafeBufferPointer {
          try decoder.decode($0) { records.append($0) }
        }
      }
      try decoder.finish { records.append($0) }
      all.append(records)
    }
    #expect(all[0].count == count && all.allSatisfy { $0 == all[0] })
  }

  // MARK: What is none

  @Test(arguments: ["svg", "html"]) func aPictureIsSaidToBeOne(root: String) {
    #expect(read("<\(root)></\(root)>").error?.description.contains("is a picture or a page without fixes") == true)
  }
}
