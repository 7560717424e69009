import Foundation
import Platform
import LocationKit
import NMEA
import SystemPackage
import TestSupport
import Testing

@testable import Tracks

@Suite(.inTurn) struct ReadingTests {
  struct Outcome {
    var events: [TrackEvent] = []
    var error: TrackInputError?
    var skipped: [SkippedRecord] = []
    var fixes: [Location] { events.compactMap(\.fix) }
  }

  static func read(_ input: TrackInput, _ progress: TrackProgress? = nil) -> Outcome {
    var outcome = Outcome()
    do {
      try TrackReader.read(input, progress: progress, onSkip: { outcome.skipped.append($0) }) {
        outcome.events.append($0)
      }
    } catch {
      outcome.error = error
    }
    return outcome
  }

  static func read(_ text: String, name: String = "input") -> Outcome { read(.bytes(Array(text.utf8), name: name)) }

  static let location = #"{"type":"location","latitude":1,"longitude":2}"#

  private let point = #"<trkpt lat="48.5" lon="11.25"><ele>500</ele><time>2026-01-02T03:04:05Z</time></trkpt>"#

  private let garmin = "http://www.garmin.com/xmlschemas/TrackPointExtension/v2"

  private func gpx(_ inside: String) -> String {
    #"<?xml version="1.0"?><gpx version="1.1" xmlns:g="\#(garmin)">"# + "\n" + inside + "</gpx>\n"
  }

  /// The text that was read last is kept for the next record.
  @Test(
    arguments: [
      [
        #"{"type":"location","time":"2026-01-02T03:04:05Z","latitude":48.5,"longitude":11.25,"source":"SOURCE"}"#
      ], ["time,latitude,longitude,source", "2026-01-02T03:04:05Z,48.5,11.25,SOURCE"],
    ])
  func sourcesWithNamesOfOneLengthAreNotMixed(lines: [String]) {
    let names = ["/dev/ttyUSB0", "/dev/ttyUSB1", "/dev/ttyUSB1", "/dev/ttyUSB0", "/dev/ttyS0"]
    let records = names.map { lines[lines.count - 1].replacing("SOURCE", with: $0) }
    let found = Self.read((lines.dropLast() + records).joined(separator: "\n") + "\n")
    #expect(found.fixes.map { $0.sourceInformation?.device } == names, "\(found)")
  }

  // MARK: - Kinds

  @Test func theShippedDriveIsTheSameInEveryKind() throws {
    let nmea = Self.read(.path(FilePath(Checkout.file("Recordings/drive.nmea").path)))
    let lines = Self.read(.path(FilePath(Checkout.file("Recordings/drive.ndjson").path)))
    #expect(nmea.error == nil && lines.error == nil)
    try #require(nmea.fixes.count > 100 && nmea.fixes.count == lines.fixes.count)
    for (one, other) in zip(nmea.fixes, lines.fixes) {
      #expect(one.coordinate.distance(from: other.coordinate) < 0.001)
      #expect(one.timestamp == other.timestamp)
      #expect(abs((one.speed ?? -1) - (other.speed ?? -1)) < 0.001)
      #expect(one.mode == other.mode && one.satellitesUsed == other.satellitesUsed)
      #expect(other.sourceInformation == .init(device: "drive.nmea", isSimulatedBySoftware: true))
    }
  }

  @Test func everyKindIsReadGzippedAndInMembers() throws {
    for name in ["drive.nmea", "drive.ndjson"] {
      let plain = try [UInt8](Data(contentsOf: Checkout.file("Recordings/\(name)")))
      let packed = try Command.gzip(plain)
      let expected = Self.read(.bytes(plain, name: name)).events
      #expect(Self.read(.bytes(packed, name: name)).events == expected)
      let half = plain.count / 2
      let members = try Command.gzip(Array(plain[..<half])) + Command.gzip([]) + Command.gzip(Array(plain[half...]))
      let found = Self.read(.bytes(members + [UInt8](repeating: 0, count: 1000), name: name))
      #expect(found.error == nil && found.events == expected)
    }
  }

  @Test func kindsAreRecognisedByTheirContent() {
    let sentence = NMEA.epoch(0)
    #expect(Self.read(sentence).fixes.count == 1)
    #expect(Self.read("# comment\r\n\r\n" + sentence).fixes.count == 1)
    #expect(Self.read(#"{"class":"VERSION","release":"3.22"}"# + "\n" + sentence).fixes.count == 1)
    #expect(Self.read("\n  " + gpx("<trk><trkseg>\(point)</trkseg></trk>").dropFirst(21)).fixes.count == 1)
    #expect(Self.read("hello").error?.reason == .unknownKind)
    #expect(Self.read("   \n").error?.reason == .unknownKind)
    #expect(Self.read("").error?.reason == .empty)
    #expect(Self.read("$GPZDA,082710.00,16,09,2002,00,00*64\r\n").error?.reason == .noFixes)
    #expect(Self.read("<osm></osm>").error?.description.contains("neither GPX nor KML: its root is 'osm'") == true)
    #expect(Self.read("<kml></kml>").error?.reason == .noFixes)
  }

  @Test func whatCannotBeOpenedSaysWhy() throws {
    #expect(Self.read(.path("/nonexistent")).error?.reason == .notFound)
    #expect(Self.read(.path("/")).error?.reason == .isDirectory)
    let empty = TemporaryFolder()
    #expect(Self.read(.path(FilePath(try empty.write("", to: "empty")))).error?.reason == .empty)
  }

  // MARK: - Damage

  @Test(arguments: [0, 1, 13, 26, 31, 39])
  func truncatedGzipGivesWhatWasGood(cut: Int) throws {
    let plain = try [UInt8](Data(contentsOf: Checkout.file("Recordings/drive.ndjson")))
    let packed = try Command.gzip(plain)
    let all = Self.read(.bytes(plain, name: "a")).events
    let found = Self.read(.bytes(Array(packed[..<(packed.count * (cut + 1) / 41)]), name: "a.gz"))
    #expect(found.error?.reason == .badGzip("the gzip data end too early"))
    #expect(found.error?.description.hasPrefix("a.gz: ") == true)
    let isPrefix = found.events == Array(all.prefix(found.events.count))
    #expect(isPrefix)
    if cut > 30 { #expect(found.events.count > all.count / 2) }
  }

  @Test func otherBytesBehindGzipAreAnError() throws {
    let plain = try [UInt8](Data(contentsOf: Checkout.file("Recordings/drive.ndjson")))
    let found = Self.read(.bytes(try Command.gzip(plain) + Array("rest".utf8), name: "a.gz"))
    #expect(found.error?.reason == .badGzip("other bytes follow the gzip data"))
    #expect(found.events == Self.read(.bytes(plain, name: "a")).events)
  }

  @Test(arguments: [
    ("{", "ends in the middle"), ("{\"type\":\"location\"}", "without its position"),
    ("{\"latitude\":1}", "no type"), ("nonsense", "not JSON at column 1"), ("[1]", "not JSON at column 1"),
    (#"{"type":"location","latitude":91,"longitude":0}"#, "not on earth"),
    (#"{"type":"location","latitude":1-2,"longitude":2}"#, "without its position"),
    (#"{"type":"location","latitude":1,"longitude":2}}"#, "not JSON at column"),
    (#"{"type":"x","a":"# + String(repeating: "[", count: 100_000), "nested too deeply"),
  ])
  func aBadLineIsPassedOverAndCounted(line: String, words: String) throws {
    let good = Self.location
    let found = Self.read("\(good)\n\n\(good)\r\n\(line)\n\(good)\n", name: "a.ndjson")
    #expect(found.fixes.count == 3)
    #expect(found.skipped.map(\.input) == ["a.ndjson"] && found.skipped.map(\.line) == [4])
    #expect(found.skipped.first?.problem.contains(words) == true, "\(found.skipped)")
    let error = try #require(found.error)
    #expect(error.reason == .skippedRecords && error.skipped.count == 1)
    #expect(error.description.contains("a.ndjson: skipped 1 record: 1 "), "\(error)")
    #expect(error.description.contains("(a.ndjson:4); line 4 "), "\(error)")
  }

  /// A line of any length is skipped without being kept, and the next one is read.
  @Test(arguments: [(1 << 20, 2), (1 << 20 + 1, 1)]) func aLineBeyondTheLongestIsPassedOver(length: Int, fixes: Int)
    throws
  {
    let good = Self.location
    let long = good + String(repeating: " ", count: length - good.utf8.count)
    for end in ["\n\(good)", "\n\(good)\n"] {
      let whole = Self.read(long + end)
      #expect(whole.fixes.count == fixes)
      #expect(whole.skipped.map(\.problem) == (fixes == 1 ? ["is longer than 1 MiB"] : []))
      #expect(whole.skipped.allSatisfy { $0.line == 1 })
      // From a file it comes in pieces.
      let folder = TemporaryFolder()
      let file = Self.read(.path(FilePath(try folder.write(long + end, to: "input"))))
      #expect(file.events == whole.events && file.skipped == whole.skipped)
    }
  }

  @Test func skippedRecordsAreCountedByKindWithTheFirstPlace() {
    let found = Self.read(
      """
      {"type":"location","latitude":1,"longitude":2}
      {"type":"loc
      {"type":"location","latitude":95,"longitude":2}
      torn{"type":"location","latitude":1,"longitude":2}
      {"type":"location","latitude":1,"longitude":2,"time":"never"}
      {"type":"location","latitude":1,"longitude":2,"speed":1-2}
      {"type":"location","latitude":1,"longitude":2}
      """, name: "a")
    #expect(found.fixes.count == 4)
    #expect(found.error?.skipped.groups.map(\.first.kind) == [.damaged, .position, .time, .number])
    #expect(found.error?.skipped.groups.map(\.first.line) == [2, 3, 5, 6])
    #expect(
      found.error?.description
        == "a: skipped 3 records: 2 damaged (the first at a:2), 1 without a position on earth (a:3); "
        + "2 values: 1 invalid time (a:5), 1 invalid number (a:6); line 2 ends in the middle of a record")
  }

  /// The last line of a log whose writer was killed.
  @Test func aTornLastLineIsARecordThatIsPassedOver() {
    let found = Self.read(Self.location + "\n" + #"{"type":"locat"#)
    #expect(found.fixes.count == 1 && found.error?.reason == .skippedRecords && found.skipped.map(\.line) == [2])
  }

  @Test func otherRecordsArePassedOverAndALossIsAGap() {
    let found = Self.read(
      """
      {"type":"location","latitude":1,"longitude":2,"source":"a\\"\\u00e4\\ud83d\\ude97/b","simulated":true,"extra":[1,{"a":null}]}
      {"type":"region","center":{"latitude":1,"longitude":2}}
      {"type":"error","code":"denied","message":"m"}
      {"type":"error","code":"locationUnknown","message":"m"}
      {"time":"2026-01-02T03:04:05.250Z","type":"location","longitude":-2.5e1,"latitude":1}
      """)
    #expect(found.error == nil && found.events.count == 3 && found.events[1] == .gap)
    #expect(found.fixes[0].sourceInformation == .init(device: "a\"ä🚗/b", isSimulatedBySoftware: true))
    #expect(found.fixes[1].coordinate.longitude == -25)
    #expect(found.fixes[1].timestamp == Date(timeIntervalSince1970: 1_767_323_045.25))
  }

  // MARK: - GPX

  @Test func gpxSaysWhatItKnows() throws {
    let found = Self.read(
      gpx(
        """
        <wpt lat="1" lon="2"><ele>9</ele></wpt><rte><rtept lat="1" lon="2"/></rte>
        <trk><name>a</name><src>b</src><trkseg>\(point)<trkpt lat=" -48.5 " lon="+180"/></trkseg><trkseg/>
        <trkseg><trkpt lat="1" lon="2"><ele> 5.5 </ele><time> 2026-01-02T05:04:05.5+02:00 </time>
        <geoidheight>47</geoidheight><src>x &amp; <![CDATA[y]]></src><fix>2d</fix><sat>7</sat><speed>3</speed><course>90</course>
        </trkpt><trkpt lat="1" lon="2"><!-- none --><ele/><extensions><g:TrackPointExtension><g:speed>4</g:speed>
        <g:course>80.5</g:course></g:TrackPointExtension><rx:horizontalAccuracy>6</rx:horizontalAccuracy>
        <rx:simulated>true</rx:simulated></extensions></trkpt></trkseg></trk>
        """))
    #expect(found.error == nil)
    try #require(found.fixes.count == 4)
    #expect(found.events.filter { $0 == .gap }.count == 3)
    let fixes = found.fixes
    #expect(fixes[0].altitude == 500 && fixes[0].mode == .threeDimensional)
    #expect(fixes[0].timestamp == Date(timeIntervalSince1970: 1_767_323_045))
    #expect(fixes[1] == Location(latitude: -48.5, longitude: 180))
    #expect(fixes[2].altitude == 5.5 && fixes[2].ellipsoidalAltitude == 52.5 && fixes[2].mode == .twoDimensional)
    #expect(fixes[2].timestamp == Date(timeIntervalSince1970: 1_767_323_045.5))
    #expect(fixes[2].sourceInformation?.device == "x & y" && fixes[2].quality == GNSSQuality(geoidSeparation: 47))
    #expect(fixes[2].satellitesUsed == 7 && fixes[2].speed == 3 && fixes[2].course == 90)
    #expect(fixes[3].speed == 4 && fixes[3].course == 80.5 && fixes[3].horizontalAccuracy == 6)
    #expect(fixes[3].altitude == nil && fixes[3].sourceInformation?.isSimulatedBySoftware == true)
  }

  /// GPX has no word for RTK, and an element of this program's own says more than its `fix`.
  @Test func gpxSaysHowGoodAFixIs() throws {
    let found = Self.read(
      gpx(
        """
        <trk><trkseg><trkpt lat="1" lon="2"><ele>3</ele><fix>dgps</fix><hdop>0.9</hdop><vdop>1.5</vdop><pdop>1.7</pdop>
        <ageofdgpsdata>2.5</ageofdgpsdata><dgpsid>133</dgpsid></trkpt>
        <trkpt lat="1" lon="2"><fix>dgps</fix><extensions><rx:status>rtkFloat</rx:status><rx:climb>-0.5</rx:climb>
        <rx:satellitesSeen>12</rx:satellitesSeen></extensions></trkpt>
        <trkpt lat="1" lon="2"><fix>pps</fix><extensions><rx:status>new</rx:status></extensions></trkpt></trkseg></trk>
        """))
    let fixes = found.fixes
    try #require(found.error == nil && fixes.count == 3)
    #expect(
      fixes[0].quality
        == GNSSQuality(status: .differential, hdop: 0.9, vdop: 1.5, pdop: 1.7, dgpsAge: 2.5, dgpsStation: 133))
    #expect(fixes[0].mode == .threeDimensional)
    #expect(fixes[1].quality == GNSSQuality(status: .rtkFloat) && fixes[1].mode == .twoDimensional)
    #expect(fixes[1].climb == -0.5 && fixes[1].satellitesSeen == 12)
    #expect(fixes[2].quality == GNSSQuality(status: .precise))
  }

  @Test(arguments: [
    ("<trkpt lat='1'/>", SkippedRecord.Kind.position, "without its position"),
    ("<trkpt lat='95' lon='1'><ele>1</ele></trkpt>", .position, "not on earth: latitude 95"),
    ("<trkpt lat='1' lon='nan'/>", .position, "without its position"),
  ])
  func aBadTrackPointIsPassedOverAndCounted(bad: String, kind: SkippedRecord.Kind, words: String) {
    let found = Self.read(
      "<gpx><trk><trkseg>\n\(point)\n\(point)\n\(bad)\n\(point)</trkseg></trk></gpx>", name: "a.gpx")
    #expect(found.events.count == 4 && found.fixes.count == 3)
    #expect(found.fixes.allSatisfy { $0.altitude == 500 && $0.timestamp != nil })
    #expect(found.error?.reason == .skippedRecords)
    #expect(found.skipped.map(\.kind) == [kind] && found.skipped.map(\.line) == [4])
    #expect(found.skipped.first?.problem.contains(words) == true, "\(found.skipped)")
  }

  @Test func aValueOfExactlyTheLongestIsRead() {
    let number = "1." + String(repeating: "0", count: 398)
    let padded = String(repeating: " ", count: 1024 - number.utf8.count) + number
    let found = Self.read(gpx("<trk><trkseg><trkpt lat='1' lon='2'><ele>\(padded)</ele></trkpt></trkseg></trk>"))
    #expect(found.error == nil && found.fixes.map(\.altitude) == [1])
  }

  @Test(arguments: [
    ("<trkpt lat='1' lon='2'><ele>1</trkpt>", "mismatched tag"),
    ("<trkpt lat='1' lon='2'>&none;</trkpt>", "undefined entity"),
    ("<trkpt lat='1' lon='2'><name>" + String(repeating: "<a>", count: 1000), "more than 64 elements"),
    ("<" + tooLong, "more than 1 MiB"), ("<!--" + tooLong, "more than 1 MiB"),
    ("<a b='" + tooLong, "more than 1 MiB"), ("\u{1}", "not well-formed"),
    ("", "ends in the middle of an element; what comes before is used"),
    ("<trkpt lat='1' lon='2'><ele>1", "ends in the middle of an element"),
    ("<trkpt lat='1' lo", "ends in the middle of an element"),
    ("<![CDATA[", "ends in the middle of an element"),
  ])
  func badGPXEndsTheReadingWithItsLine(bad: String, words: String) {
    // The second point comes far later, so it is held back until more points show the pace.
    let late = point.replacing("T03", with: "T04")
    let found = Self.read("<gpx><trk><trkseg>\n\(point)\n\(late)\n\(bad)", name: "a.gpx")
    #expect(found.fixes.count == 2 && found.events.count == 2 && found.skipped.isEmpty)
    #expect(found.error?.description.hasPrefix("a.gpx:4: ") == true, "\(String(describing: found.error))")
    #expect(found.error?.description.contains(words) == true, "\(String(describing: found.error))")
  }

  private static let tooLong = String(repeating: "a", count: 1 << 20 + 1 << 15)

  @Test func entitiesAreRefused() throws {
    let folder = TemporaryFolder()
    let secret = try folder.write("1", to: "secret")
    let bomb = (1...9).map { "<!ENTITY a\($0) \"" + String(repeating: "&a\($0 - 1);", count: 10) + "\">" }.joined()
    for subset in [
      "<!ENTITY a0 \"lol\">" + bomb, "<!ENTITY a9 SYSTEM \"file://\(secret)\">",
      "<!ENTITY % p SYSTEM \"\(secret)\"> %p;",
    ] {
      let found = Self.read(
        "<!DOCTYPE gpx [\n\(subset)]><gpx><trk><trkseg><trkpt lat='1' lon='2'><ele>&a9;</ele></trkpt></trkseg></trk></gpx>",
        name: "a.gpx")
      #expect(found.error?.reason == .badLine(2, "declares an entity, which no GPX file needs"))
      #expect(found.fixes.isEmpty)
    }
    let outside = "<!DOCTYPE gpx SYSTEM \"\(secret)\">" + "<gpx><trk><trkseg>\(point)</trkseg></trk></gpx>"
    #expect(Self.read(outside).fixes.count == 1)
  }

  /// The decoder does not know yet which sentence ends an epoch, so that it holds the only one back.
  @Test func whatWasDecodedOfATruncatedFileIsUsed() throws {
    let gzipped = try Command.gzip(Array(NMEA.epoch(0).utf8))
    let whole = Self.read(.bytes(gzipped, name: "a"))
    let truncated = Self.read(.bytes(gzipped.dropLast(4), name: "a"))
    #expect(whole.error == nil && whole.fixes.count == 1)
    #expect(truncated.fixes == whole.fixes)
    #expect(truncated.error?.description.hasPrefix("a: ") == true, "\(String(describing: truncated.error))")
    if case .badGzip = truncated.error?.reason {} else { Issue.record("\(String(describing: truncated.error))") }
  }

  /// Where the reading is cancelled the bytes end anywhere, which is no fault of the record there.
  @Test func cancellingEndsTheReadingWithoutAnError() throws {
    let progress = TrackProgress()
    let text = String(repeating: Self.location + "\n", count: 20_000)
    let folder = TemporaryFolder()
    let path = try folder.write(text, to: "a")
    var count = 0
    try TrackReader.read(.path(FilePath(path)), progress: progress, onSkip: { Issue.record("\($0)") }) { _ in
      count += 1
      if count == 10 { progress.cancel() }
    }
    #expect(count < 10_000)
    #expect(progress.bytesRead > 0 && progress.bytesRead < 300_000)
  }
}
