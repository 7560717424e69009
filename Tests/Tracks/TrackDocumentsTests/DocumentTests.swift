import Foundation
import LocationKit
import TestSupport
import Testing
import Tracks

@testable import TrackDocuments

@Suite(.inTurn) struct DocumentTests {
  private static let name = "a<b>&\"'\u{1B}\u{FFFE}ü\n]]>.nmea"

  @Test func whateverTheTrackTheDocumentsAreSound() throws {
    let folder = TemporaryFolder()
    for (index, track) in (Writing.awkward + [("stops", Writing.stops(20))]).enumerated() {
      func document(_ format: TrackFormat) -> String { Writing.document(format, track.events, name: Self.name) }
      let paths = try [TrackFormat.gpx, .kml, .svg].map { format in
        try folder.write(document(format), to: "\(index).\(format.rawValue)")
      }
      let complaints = [
        try GPXSchema.validate(paths, in: folder, bySchema: false), try GPXSchema.validate([paths[0]], in: folder),
      ]
      #expect(complaints.allSatisfy { $0 ?? "" == "" }, "\(track.name): \(complaints)")
      for json in [document(.json), document(.geojson)] {
        #expect(throws: Never.self, "\(track.name)") { try JSONSerialization.jsonObject(with: Data(json.utf8)) }
      }
      let picture = document(.svg)
      #expect(!picture.contains("nan") && !picture.contains("inf"), "\(track.name)")
      #expect(document(.html).hasSuffix("</html>\n"))
    }
  }

  @Test func aPageNeedsNothingElse() throws {
    let page = Writing.document(.html, Writing.stops(2), name: Self.name)
    #expect(!page.contains("<script") && !page.contains("href") && !page.contains("src=") && !page.contains("url("))
    #expect(page.contains("prefers-color-scheme:dark"))
    #expect(!page.contains("<b>") && page.contains("a&lt;b&gt;&amp;&quot;"))
    // Every name that a link or a label could mean is there once.
    #expect(!page.contains(" id="))
  }

  @Test func aPictureOfAMillionFixesIsSmall() {
    var random = SplitMix(state: 7)
    var (latitude, longitude) = (48.0, 11.0)
    var buffer = [TrackEvent]()
    for second in 0..<200_000 {
      latitude += Double.random(in: -1...1, using: &random) * 1e-4
      longitude += Double.random(in: -1...1, using: &random) * 1e-4
      let speed = Double.random(in: 0...60, using: &random)
      buffer.append(Writing.fix(latitude, longitude, Double(second), speed: speed, altitude: speed * 10))
    }
    #expect(Writing.document(.svg, buffer).utf8.count < 1_000_000)
  }

  @Test func geoJSONIsCutAtTheAntimeridian() throws {
    let text = Writing.document(
      .geojson, [Writing.fix(10, 179, 0), Writing.fix(12, -179, 60), Writing.fix(12, -178, 90)])
    let root = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let features = try #require(root["features"] as? [[String: Any]])
    let lines = features.compactMap { ($0["geometry"] as? [String: Any])?["coordinates"] as? [[Double]] }
    #expect(lines == [[[179, 10], [180, 11]], [[-180, 11], [-179, 12], [-178, 12]]])
  }

  /// Gaps of every length, a night within a segment, a clock that was set: what is read back has the same figures.
  @Test(arguments: [TrackFormat.csv, .gpx, .kml]) func whatIsWrittenIsReadWithTheSameFigures(
    _ format: TrackFormat
  ) throws {
    func drive(_ start: Double, _ longitude: Double, every seconds: Double = 1) -> [TrackEvent] {
      (0..<60).map { index in
        let time = Double(index) * seconds
        return Writing.fix(48, longitude + time / 10_000, start + time, altitude: Double(index))
      }
    }
    var events = drive(0, 11) + [.gap] + drive(80, 11.01) + [.gap]
    events += drive(10_000, 11.1) + [.silence] + drive(50_000, 11.3)
    events += drive(49_000, 11.4) + [.gap] + drive(100_000, 12, every: 400)
    let read = try Writing.events(of: Writing.document(format, events))
    let figures = Writing.document(.json, events)
    #expect(figures.contains(#""fixes":360,"segments":4,"#) && figures.contains(#""silenceTime":39941.0,"#))
    #expect(Writing.document(.json, read) == figures)
  }

  @Test func aLineAcrossTheAntimeridianIsReadBackWhole() throws {
    let fixes = [
      Writing.fix(10, 179), Writing.fix(12, -179), Writing.fix(13, -178), Writing.fix(14, 179.5), Writing.fix(14, 180),
      Writing.fix(14, -179), Writing.fix(15, -179),
    ]
    #expect(try Writing.events(of: Writing.document(.geojson, fixes)) == fixes + [.gap])
  }

  @Test func kmlHasTimesOnlyWhereTheyAreKnown() {
    let text = Writing.document(.kml, [Writing.fix(48, 11, 0), Writing.fix(48, 12), Writing.fix(48, 13), .gap])
    #expect(text.components(separatedBy: "<gx:Track>").count == 2)
    #expect(
      text.contains("<when>2026-09-21T14:13:20.000Z</when>\n<gx:coord>11.0 48.0</gx:coord>\n</gx:Track></Placemark>"))
    #expect(text.contains("<coordinates>\n12.0,48.0\n13.0,48.0\n</coordinates>"))
  }

  /// Google's schema wants the times of a track before its positions. A long segment is one way all the same.
  @Test(arguments: [(1, 1), (4096, 1), (4097, 2), (10_000, 3)]) func kmlHasTimesBeforePositions(
    _ count: Int, _ tracks: Int
  ) throws {
    let fixes = (0..<count).map { Writing.fix(48, 11 + Double($0) / 10_000, Double($0)) }
    let text = Writing.document(.kml, fixes + [.gap] + fixes.prefix(2))
    let pieces = text.components(separatedBy: "<gx:Track>").dropFirst().map {
      $0.components(separatedBy: "</gx:Track>")[0]
    }
    #expect(pieces.count == tracks + 1)
    for piece in pieces {
      let kinds = piece.split(separator: "\n").map { $0.prefix(5) }
      #expect(kinds == kinds.sorted(by: >) && kinds.count { $0 == "<when" } * 2 == kinds.count)
    }
    #expect(
      text.components(separatedBy: "<gx:MultiTrack><gx:interpolate>1</gx:interpolate>").count == (tracks > 1 ? 2 : 1))
    let read = try Writing.events(of: text)
    #expect(read.indices.filter { read[$0] == .gap } == [count, count + 1 + min(count, 2)])
  }

  private static let gpsbabel = "/usr/bin/gpsbabel"

  /// What gpsbabel makes of a document is what it makes of it once more.
  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: gpsbabel), "gpsbabel is not installed"),
    arguments: ["gpx", "kml"])
  func gpsbabelReadsItAndBackUnchanged(_ kind: String) throws {
    let events =
      Writing.stops(2) + [.gap]
      + (0..<50).map { Writing.fix(49, 12 + Double($0) / 1000, 90_000 + Double($0), altitude: 3) }
    let folder = TemporaryFolder()
    let ours = try folder.write(Writing.document(TrackFormat(rawValue: kind) ?? .gpx, events), to: "ours.\(kind)")
    let theirs = folder.file("theirs.\(kind)")
    func convert(_ from: String, _ input: String, _ to: String, _ output: String) throws {
      try runProgram(
        [Self.gpsbabel, "-t", "-i", from, "-f", input, "-o", to, "-F", output], output: folder.file("gpsbabel.log"))
    }
    try convert(kind, ours, kind == "kml" ? "kml,track=1,points=0,lines=0,trackdata=0" : kind, theirs)
    // Both by way of the same plain format, point for point.
    let points = try [ours, theirs].map { input in
      try convert(kind, input, "unicsv,utc=0", input + ".csv")
      return contents(input + ".csv")
    }
    #expect(points[0].split(whereSeparator: \.isNewline).count >= events.count - 1)
    #expect(points[0] == points[1])
  }
}
