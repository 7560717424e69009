import Foundation
import LocationKit
import TestSupport
import Testing

@testable import Tracks

/// Recordings that other programs write, with what is wrong with them.
@Suite(.inTurn) struct StrangersTests {
  private let read: (String) -> ReadingTests.Outcome = { ReadingTests.read($0, name: "a") }

  private func gpx(_ points: String...) -> ReadingTests.Outcome {
    read(
      #"<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1" xmlns:e="urn:e" xmlns:osmand="https://osmand.net">"#
        + "<trk><trkseg>"
        + points.enumerated().map { #"<trkpt lat="47.\#($0)" lon="8.5">\#($1)</trkpt>"# }.joined(separator: "\n")
        + "</trkseg></trk></gpx>")
  }

  private let noon = 1_714_564_800.0

  // MARK: Times

  private static let times: [(String, Double?)] = [
    ("2024-05-01T12:00:00Z", 1_714_564_800), ("2024-05-01", 1_714_521_600),
    ("2024-05-01T12:00:00-07:00", 1_714_590_000),
    ("1970-01-01T00:00:00Z", 0), ("2099-12-31T23:59:59Z", 4_102_444_799), ("0000-05-01T12:00:00Z", nil),
    ("1969-12-31T23:59:59Z", nil), ("2100-01-01T00:00:00Z", nil), ("1970-01-01T00:00:00+01:00", nil), ("2024-05", nil),
    ("2024", nil), ("2024-13-01T00:00:00Z", nil), ("1714564800", nil), ("yesterday", nil),
  ]

  /// Every kind of recording agrees on what is a time. A wrong one costs the time, is counted, and the place stays.
  @Test(arguments: times) func aTimeIsTheSameInEveryKind(_ text: String, _ seconds: Double?) {
    let kinds = [
      "<gpx><trk><trkseg><trkpt lat='1' lon='2'><time>\(text)</time></trkpt></trkseg></trk></gpx>",
      "<kml><Track><when>\(text)</when><coord>2 1</coord></Track></kml>",
      "latitude,longitude,time\n1,2,\(text)\n",
      #"{"type":"location","latitude":1,"longitude":2,"time":"\#(text)"}"#,
    ]
    for found in kinds.map(read) {
      #expect(found.fixes.map(\.coordinate) == [.init(latitude: 1, longitude: 2)])
      #expect(found.fixes.map(\.timestamp?.timeIntervalSince1970) == [seconds])
      #expect(found.skipped.map(\.kind) == (seconds == nil ? [.time] : []))
      #expect(found.skipped.allSatisfy { $0.problem == "has an invalid time: '\(text)'" }, "\(found.skipped)")
    }
  }

  @Test(
    arguments: [
      ("1714564800", 1_714_564_800), ("0", 0), ("4102444799", 4_102_444_799), ("1714564800000", nil), ("-1", nil),
      ("4102444800", nil), ("\"1714564800\"", nil), ("true", nil), ("[1]", nil),
    ] as [(String, Double?)]) func theRecordersTimesHaveTheSameRange(_ text: String, _ seconds: Double?)
  {
    let found = read("2024-05-01T12:00:00Z\t*\t" + #"{"_type":"location","lat":1,"lon":2,"tst":\#(text)}"#)
    #expect(found.fixes.map(\.timestamp?.timeIntervalSince1970) == [seconds])
    #expect(found.skipped.map(\.kind) == (seconds == nil ? [.time] : []))
  }

  @Test func aTimeThatIsANumberInJSONLinesIsNoTime() {
    let found = read(#"{"type":"location","latitude":1,"longitude":2,"time":1714564800}"#)
    #expect(found.fixes.map(\.timestamp) == [nil] && found.skipped.map(\.kind) == [.time])
  }

  // MARK: Values

  /// Core Location's -1, a course of 360, and numbers that are not finite.
  @Test func whatMeansUnknownIsUnknownInEveryKind() {
    let values = ["-1", "360", "NaN", "inf", "-Infinity"]
    for value in values {
      for found in [
        gpx("<extensions><speed>\(value == "360" ? "-1.0" : value)</speed><course>\(value)</course></extensions>"),
        read(
          "latitude,longitude,speed,course,horizontalAccuracy,satellites,hdop\n"
            + "47,8.5,-1,\(value),-1,-1,\(value == "360" ? "-1" : value)"),
        read(
          #"{"type":"location","latitude":47,"longitude":8.5,"speed":-1.0,"course":"#
            + (value == "inf" ? "Infinity" : value) + #","verticalAccuracy":-1,"courseAccuracy":-1}"#),
        read(
          "2024-05-01T12:00:00Z\t*\t"
            + #"{"_type":"location","lat":47,"lon":8.5,"vel":-1,"cog":\#(value),"acc":-1,"vac":-1}"#),
      ] {
        #expect(found.error == nil, "\(value) \(String(describing: found.error))")
        #expect(found.fixes == [Location(latitude: 47, longitude: 8.5)], "\(value)")
      }
    }
    let zero = read("latitude,longitude,speed,course,horizontalAccuracy,climb,altitude\n47,8.5,0,0,0,-1,-1").fixes.first
    #expect(zero?.speed == 0 && zero?.course == 0 && zero?.horizontalAccuracy == 0)
    #expect(zero?.climb == -1 && zero?.altitude == -1)
  }

  @Test func anElevationThatIsNotANumberCostsTheElevation() {
    let found = gpx(
      "<ele>nan</ele>", "<ele>-6.5537536E-4</ele>", "<ele>NaN</ele>", "<ele>400</ele><hdop>Infinity</hdop>",
      "<ele>--</ele>", "<ele>" + String(repeating: "1", count: 1025) + "</ele>")
    #expect(found.fixes.map(\.altitude) == [nil, -6.5537536E-4, nil, 400, nil, nil])
    #expect(found.fixes.map(\.mode.rawValue) == [2, 3, 2, 3, 2, 2] && found.fixes[3].quality == nil)
    #expect(found.skipped.map(\.kind) == [.number, .number] && found.skipped.map(\.line) == [5, 6])
  }

  @Test func aBadValueCostsTheValueInEveryKind() {
    for found in [
      read("latitude,longitude,speed,satellites,altitude\n1,2,fast,7/12,5"),
      read(#"{"type":"location","latitude":1,"longitude":2,"speed":"fast","satellites":7.5,"altitude":5}"#),
      gpx("<sat>7/12</sat><speed>5,5</speed><ele>5</ele>"),
    ] {
      #expect(found.fixes.map(\.altitude) == [5] && found.fixes[0].speed == nil && found.fixes[0].satellitesUsed == nil)
      #expect(found.skipped.map(\.kind) == [.number, .number])
    }
    let line = read("<kml><LineString><coordinates>8.5,47.5,x 8.6,47.5,nan 8.7,47.5,3</coordinates></LineString></kml>")
    #expect(line.fixes.map(\.altitude) == [nil, nil, 3] && line.skipped.map(\.kind) == [.number])
    #expect(read(#"{"type":"LineString","coordinates":[[1,2,NaN],[1,3,null],[1,4,5]]}"#).fixes.count == 3)
  }

  // MARK: Namespaces

  @Test func foreignElementsDoNoHarm() {
    let found = gpx(
      "<extensions><e:status>moving</e:status><e:mode>walk</e:mode><e:climb>up</e:climb></extensions>",
      "<extensions><e:speed>5,5</e:speed></extensions>", "<extensions><e:course>N</e:course></extensions>",
      "<extensions><e:fix>none</e:fix><e:sat>7/12</e:sat></extensions>",
      "<extensions><e:speed>5.5 km/h</e:speed><e:time>2024-05-01T12:00:00Z</e:time></extensions>",
      "<extensions><e:speed>--</e:speed><e:ele>1</e:ele></extensions><ele>500</ele>",
      "<ele>500</ele><extensions><e:ele>0</e:ele><ele>1</ele><e:hdop>n/a</e:hdop></extensions><e:ele>2</e:ele>",
      #"<ele>500</ele><ele xmlns="urn:e">3</ele><extensions><x:ele>4</x:ele></extensions>"#,
      "<ele>500</ele><extensions><e:a><e:trkpt lat='1' lon='2'/><trkpt lat='1' lon='2'/></e:a></extensions>")
    #expect(found.error == nil && found.fixes.map(\.altitude) == [nil, nil, nil, nil, nil, 500, 500, 500, 500])
    #expect(found.fixes.allSatisfy { $0.speed == nil && $0.timestamp == nil && $0.quality == nil })
    let kml = read(
      "<kml xmlns:e='urn:e'><Track><e:when>x</e:when><when>2024-05-01T12:00:00Z</when><e:coord>1 2</e:coord>"
        + "<coord>8.5 47.5</coord></Track></kml>")
    #expect(kml.error == nil && kml.fixes.map(\.timestamp?.timeIntervalSince1970) == [noon])
  }

  @Test(arguments: [
    #"<a:gpx xmlns:a="http://www.topografix.com/GPX/1/0"><a:trk><a:trkseg><a:trkpt lat="47" lon="8.5"><a:speed>3</a:speed>"#
      + "</a:trkpt></a:trkseg></a:trk></a:gpx>",
    #"<a:gpx><a:trk><a:trkseg><a:trkpt lat="47" lon="8.5"><a:speed>3</a:speed></a:trkpt></a:trkseg></a:trk></a:gpx>"#,
    #"<gpx xmlns="urn:x"><trk xmlns=""><trkseg><trkpt lat="47" lon="8.5"><extensions><TrackPointExtension "#
      + #"xmlns="http://www.garmin.com/xmlschemas/TrackPointExtension/v1"><speed>3</speed></TrackPointExtension>"#
      + "</extensions></trkpt></trkseg></trk></gpx>",
    #"<gpx><trk><trkseg><trkpt lat="47" lon="8.5"><extensions><gpxtpx:TrackPointExtension><gpxtpx:speed>3</gpxtpx:speed>"#
      + "</gpxtpx:TrackPointExtension></extensions></trkpt></trkseg></trk></gpx>",
  ]) func aPrefixIsOnlyAName(_ text: String) {
    let found = read(text)
    #expect(found.error == nil && found.fixes.map(\.speed) == [3])
  }

  @Test func aPointWithoutAFixIsAGap() {
    let found = gpx("<fix>3d</fix>", "<fix>none</fix>", "<fix>3d</fix>")
    #expect(found.error == nil && found.fixes.map(\.coordinate.latitude) == [47, 47.2] && found.events[1] == .gap)
  }

  // MARK: Kinds

  private static let location = #""latitude":1,"longitude":2}"#

  @Test(arguments: [
    "{\n  \"type\": \"FeatureCollection\",\n", "{ \"name\": \"x\",\n \"type\":\"FeatureCollection\",\n",
    "{\"bbox\":[1,2,\n3,4],",
    "{\"crs\":{\"type\":\"name\",\"properties\":{\"name\":\"urn:x\"}},\"x\":\"}\\\"\",\n", "{\r\n\r\n", "{",
  ]) func geoJSONIsKnownHoweverItIsWritten(_ start: String) {
    let rest =
      "\"features\":[{\"type\":\"Feature\",\n\"geometry\":{\"type\":\"LineString\",\"coordinates\":[[1,2],[3,4]]}}]}"
    let found = read(start + rest)
    #expect(found.error == nil && found.fixes.count == 2)
  }

  /// A torn first line does not hide the kind.
  @Test(arguments: ["{\"type\":\"loc", "{\"time\":\"2024", "{\"latitude\":1,", "{", "{\"a\":[1,", "{}", "{\"a\":1}"])
  func aTornFirstLineOfJSONLinesIsPassedOver(_ line: String) {
    let found = read("\(line)\n{\"type\":\"location\",\(Self.location)\n")
    #expect(found.fixes.count == 1 && found.skipped.map(\.line) == [1], "\(String(describing: found.error))")
  }

  @Test(arguments: [
    (
      #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":["8.5","47.5"]},"#
        + #""properties":{"timestamp":1714564800}}]}"#,
      "is GeoJSON of points, which are places, not a track; GeoJSON has no times, so their 'timestamp' is not read; export"
    ),
    (
      #"{"type":"Feature","geometry":{"coordinates":[8.5,47.5],"type":"Point"}}"#,
      "is GeoJSON of points, which are places"
    ),
    ("{\n \"locations\": [{\n \"latitudeE7\": 475000000", "is Google's location history"),
    (#"{"locations":[{"timestampMs":"1","latitudeE7":1}]}"#, "is Google's location history"),
    ("{\n \"timelineObjects\": [\n", "is Google's location history"),
    ("{\"semanticSegments\":[{\"startTime\":", "is Google's location history"),
    ("[\n{\"endTime\" : \"x\",\n \"startTime\" : \"y\",\n \"visit\" : {}}]", "is Google's location history"),
    (#"{"class":"VERSION","release":"3.25"}"# + "\n" + #"{"class":"TPV","lat":1,"lon":2}"#, "is gpsd's JSON"),
    ("{\n  \"class\": \"TPV\",\n", "is gpsd's JSON"), ("\u{1E}{\n\"type\":\"Feature\"}", "is a GeoJSON text sequence"),
    ("[{\"type\":\"location\",\(location)]", "is one JSON array"),
    ("{\n\"type\":\"location\",\(location)", "is JSON with records on several lines"),
    ("{\n\"a\":1}", "is JSON of an unknown kind"),
    ("{ \"type\" : \"track\", \"name\":\"x\"}", "is a summary of a track without fixes"),
    ("x.nmea\n\n  Time            2026-05-06", "is a page of figures without fixes"),
  ]) func aKindThatIsNotReadIsNamed(_ text: String, _ words: String) {
    let found = read(text)
    #expect(found.fixes.isEmpty)
    #expect(found.error?.description.hasPrefix("a: \(words)") == true, "\(String(describing: found.error))")
  }

  @Test func geoJSONOfOneFeatureALineSaysWhatToDo() {
    let feature = #"{"type":"Feature","geometry":{"type":"LineString","coordinates":[[1,2],[3,4]]}}"#
    let found = read("\(feature)\n\(feature)\n")
    #expect(found.fixes.count == 2 && found.error?.description.contains("put all into one FeatureCollection") == true)
  }

  /// As a subscriber to a broker prints them.
  @Test func messagesOfOwnTracksAreReadWithoutTheRecordersColumns() {
    let found = read(#"{"_type":"location","lat":1,"lon":2,"tst":1714564800}"#)
    #expect(found.error == nil && found.fixes.map(\.timestamp?.timeIntervalSince1970) == [noon])
  }

  /// gpspipe's greeting is none.
  @Test(arguments: [
    #"{"class":"TPV","mode":3,"lat":1,"lon":2}"#, "<trkpt lat=\"1\" lon=\"2\"/>", #"{"type":"location"}"#,
  ])
  func aRecordOfAnotherKindBetweenSentencesIsSkipped(record: String) {
    let greeting = #"{"class":"WATCH","enable":true}"# + "\n"
    let text = NMEA.epoch(0) + greeting + "noise\n" + record + "\n" + NMEA.epoch(1) + record + "\n"
    let found = read(text)
    #expect(found.fixes.count == 2 && found.error?.reason == .skippedRecords)
    #expect(found.error?.skipped.groups.map(\.first.line) == [8] && found.error?.skipped.count == 2)
  }
}
