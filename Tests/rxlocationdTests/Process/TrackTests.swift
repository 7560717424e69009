import Foundation
import TestSupport
import Testing

@Suite(.startsPrograms) struct TrackTests {
  private let folder = TemporaryFolder()

  private let recording = "Recordings/drive.nmea"

  /// Some seconds around the tunnel, which is a gap.
  private static let tunnel = ["--since", "2026-05-07T00:00:30Z", "--until", "2026-05-07T00:01:10Z"]

  /// What each format makes of the shipped drive; a change that is wanted is written with UPDATE_GOLDEN=1.
  @Test(arguments: [
    ("drive.txt", ["--format", "text"]),
    ("drive.json", ["--format", "json"]),
    ("drive.html", ["--format", "html"]),
    ("tunnel.gpx", ["--format", "gpx"] + tunnel),
    ("tunnel.kml", ["--format", "kml"] + tunnel),
    ("tunnel.geojson", ["--format", "geojson"] + tunnel),
    ("tunnel.csv", ["--format", "csv"] + tunnel),
  ]) func theShippedDrive(_ name: String, _ arguments: [String]) async throws {
    let result = try await DaemonProcess.run(["track", recording, "--units", "metric"] + arguments, status: 0)
    #expect(result.messages.isEmpty)
    let golden = Checkout.file("Tests/Golden/\(name)")
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" { try Data(result.output.utf8).write(to: golden) }
    #expect(result.output == (try String(contentsOf: golden, encoding: .utf8)))
  }

  @Test func theReadmesPicture() async throws {
    let readme = try Checkout.text("README.md")
    let line = try #require(
      readme.split(separator: "\n").first { $0.contains("rxlocationd track") && $0.contains("svg") })
    let arguments = line.split(separator: " ").drop { $0 != "track" }.map(String.init)
    let picture = try #require(arguments.last)
    #expect(readme.contains("](\(picture))"))
    try await DaemonProcess.run(arguments.dropLast() + [folder.path("drive.svg"), "--units", "metric"], status: 0)
    let drawn = contents(folder.path("drive.svg"))
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      try Data(drawn.utf8).write(to: Checkout.file(picture))
    }
    #expect(drawn == (try Checkout.text(picture)))
  }

  // MARK: What a person sees

  @Test func jumpsAreSaidWithTheLimitThatLeavesThemOut() async throws {
    var points = ""
    for second in 0..<600 {
      // Two points of a walk are far away.
      let latitude = 47.4 + Double(second) * 1.2e-5 + (second == 200 || second == 400 ? 0.1 : 0)
      let (minute, rest) = (second / 60, second % 60)
      let time = "2026-05-06T10:0\(minute):\(rest < 10 ? "0" : "")\(rest)Z"
      points += "<trkpt lat=\"\(latitude)\" lon=\"11\"><time>\(time)</time></trkpt>\n"
    }
    let hike = try folder.write(
      "<gpx><wpt lat=\"47.4\" lon=\"11\"><name> Hut </name></wpt><trk><name>A walk</name><trkseg>\(points)</trkseg></trk></gpx>",
      to: "hike.gpx")
    let result = try await DaemonProcess.run(["track", hike])
    #expect(result.messages == "rxlocationd: 2 jumps; --max-speed 8 leaves them out\n")
    #expect(result.output.contains("Name            A walk\n"), "\(result.output)")
    #expect(result.output.contains("Waypoint        Hut, 47.40000, 11.00000\n"), "\(result.output)")
    #expect(try await DaemonProcess.run(["track", hike, "--quiet"]).messages.isEmpty)
    let clean = try await DaemonProcess.run(["track", hike, "--max-speed", "8"])
    #expect(clean.messages.isEmpty && clean.output.contains("2 jumps left out"), "\(clean.output)")
  }

  @Test func timesAreTheReaders() async throws {
    let result = try await DaemonProcess.bash("TZ=Asia/Tokyo exec $B track $D", status: 0)
    #expect(result.output.contains("2026-05-07 08:54:00 to 09:05:59 JST"), "\(result.output)")
  }

  // MARK: Inputs

  @Test func severalFilesMakeOneTrack() async throws {
    let epochs = try Checkout.text(recording).components(separatedBy: "$GNRMC").dropFirst().map { "$GNRMC" + $0 }
    let first = try folder.write(epochs.prefix(100).joined(), to: "first.nmea")
    let second = try folder.write(epochs.dropFirst(100).prefix(100).joined(), to: "second.nmea")
    let result = try await DaemonProcess.run(["track", first, second, "--format", "json"], status: 0)
    #expect(result.output.contains(#""name":"first.nmea, second.nmea","fixes":200,"segments":2,"#))
  }

  @Test func standardInput() async throws {
    let data = try Data(contentsOf: Checkout.file(recording))
    let piped = try await DaemonProcess.run(["track", "-", "--format", "csv"], standardInput: data, status: 0)
    let named = try await DaemonProcess.run(["track", recording, "--format", "csv"])
    #expect(piped.output.replacing(",stdin,", with: ",drive.nmea,") == named.output)
  }

  /// What the daemon prints of a recording has its losses.
  @Test(arguments: ["ndjson", "csv", "gpx"]) func itReadsWhatReplayWrites(_ format: String) async throws {
    let replayed = try await DaemonProcess.run(["replay", recording, "--speed", "max", "--format", format])
    let path = try folder.write(replayed.output, to: "drive")
    let result = try await DaemonProcess.run(["track", path, "--units", "metric"], status: 0)
    // The first line has the name.
    #expect(
      result.lines.dropFirst() == (try Checkout.text("Tests/Golden/drive.txt").split(separator: "\n").dropFirst()))
  }

  /// The figures that a format has the members for. KML knows no speeds of the receiver, GeoJSON no times.
  @Test(arguments: [
    ("csv", ["fixes", "segments", "distance", "movingTime", "gapTime", "gapDistance", "greatestSpeed", "start"]),
    ("gpx", ["fixes", "segments", "distance", "movingTime", "greatestSpeed", "highestAltitude", "start", "end"]),
    ("kml", ["fixes", "segments", "distance", "movingTime", "highestAltitude", "start", "end"]),
    ("geojson", ["fixes", "segments", "distance"]),
  ]) func itReadsItsOtherFormats(_ format: String, _ members: [String]) async throws {
    let path = folder.path("drive.\(format)")
    try await DaemonProcess.run(["track", recording, "--format", format, "--output", path], status: 0)
    if format == "gpx", let complaints = try GPXSchema.validate([path], in: folder) { #expect(complaints == "") }
    func figures(_ text: String) throws -> NSDictionary {
      let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
      return NSDictionary(dictionary: object.filter { members.contains($0.key) })
    }
    let read = try figures(try await DaemonProcess.run(["track", "--format", "json", path], status: 0).output)
    #expect(read.count == members.count)
    #expect(try figures(Checkout.text("Tests/Golden/drive.json")) == read)
  }

  @Test(arguments: ["drive.txt", "drive.json", "drive.html"]) func itSaysWhatItWroteForPeople(_ name: String)
    async throws
  {
    let result = try await DaemonProcess.run(
      ["track", Checkout.file("Tests/Golden/\(name)").path], status: 65,
      saying: "without fixes; read the recording")
    #expect(result.output.isEmpty)
  }

  // MARK: Outputs

  @Test func aFileIsReplacedAsAWholeAndKeepsItsMode() async throws {
    let path = try folder.write("old", to: "drive.json")
    chmod(path, 0o640)
    try await DaemonProcess.run(["track", recording, "--format", "json", "--output", path], status: 0)
    #expect(contents(path).hasPrefix(#"{"type":"track""#))
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
    // What was written under another name is gone.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["drive.json"])
  }

  @Test func whatIsNoFileIsWrittenTo() async throws {
    try await DaemonProcess.run(["track", recording, "--output", "/dev/null"], status: 0)
    let attributes = try FileManager.default.attributesOfItem(atPath: "/dev/null")
    #expect(attributes[.type] as? FileAttributeType == .typeCharacterSpecial)
  }

  @Test func itIsWrittenWhileTheInputGoesOn() async throws {
    let process = try DaemonProcess(["track", "-", "--format", "csv"], keepsInputOpen: true)
    process.feed(0..<3000)
    try await process.wait(for: "lines") { process.output.count { $0 == "\n" } > 500 }
    process.closeInput()
    let result = try await process.waitUntilExit()
    #expect(result.status == 0 && result.lines.count == 3001)
  }

  /// What is there already stays in front of it.
  @Test func standardOutputIsAppendedToWhereverItIsNamed() async throws {
    let path = try folder.write("before\n", to: "out")
    try await DaemonProcess.bash("$B track $D --output /dev/stdout >>'\(path)'", status: 0)
    #expect(contents(path).hasPrefix("before\ndrive.nmea"), "\(contents(path))")
  }

  @Test func aSimplifiedTrackBeginsAndEndsAsItDid() async throws {
    let whole = try await DaemonProcess.run(["track", recording, "--format", "csv"]).lines
    let simple = try await DaemonProcess.run(["track", recording, "--format", "csv", "--simplify", "50"]).lines
    #expect(simple.count < whole.count / 4 && simple.prefix(2) == whole.prefix(2) && simple.last == whole.last)
    // Its figures are those of all fixes.
    let figures = try await DaemonProcess.run(["track", recording, "--format", "json", "--simplify", "50"]).output
    #expect(figures == (try Checkout.text("Tests/Golden/drive.json")))
  }

  /// A file for each.
  @Test func tripsAreFiles() async throws {
    let arguments = ["--split", "trip", "--stop-after", "20", "--stop-within", "20", "--format", "json"]
    let whole = try await DaemonProcess.run(["track", recording, "--format", "json"] + arguments[2...5])
    let trips = whole.output.components(separatedBy: #""type":"trip""#).count - 1
    #expect(trips > 1)
    try await DaemonProcess.run(["track", recording] + arguments + ["--output", folder.path("{}.json")], status: 0)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(files.count == trips)
    #expect(files.first == "2026-05-06-1.json")
    // Each from its trip's first fix to its last.
    func times(_ text: String) -> [String] {
      text.matches(of: /"start":"([^"]+)","end":"([^"]+)"/).map { "\($0.1) \($0.2)" }
    }
    let expected = whole.lines.filter { $0.contains(#""type":"trip""#) }.flatMap { times(String($0)) }
    let found = files.compactMap { times(contents(folder.path($0))).first }
    #expect(found.sorted() == expected)
  }

  // MARK: Statuses

  @Test func standardInputIsReadOnce() async throws {
    let trips = ["track", "-", "--split", "trip", "--output", "/tmp/{}.gpx"]
    try await DaemonProcess.run(trips, status: 64)
    try await DaemonProcess.run(["track", "-", "-"], status: 64)
  }

  @Test func theFirstErrorGivesTheStatusAndTheOtherInputsAreUsed() async throws {
    let noise = try folder.write("this is\nno recording\n", to: "noise.nmea")
    for (files, status) in [(["missing.nmea", noise, recording], Int32(66)), ([noise, "missing.nmea"], 65)] {
      let result = try await DaemonProcess.run(["track", "--format", "csv"] + files, status: status)
      #expect(result.messages.contains("missing.nmea") && result.messages.contains("noise.nmea"))
      #expect(result.lines.count == (files.contains(recording) ? 705 : 0))
    }
  }

  @Test func badDataEndWithTheirStatusAfterWhatWasGood() async throws {
    let path = try folder.write(
      """
      <gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>
      <trkpt lat="48" lon="11"><time>2026-05-06T12:00:00Z</time></trkpt>
      <trkpt lat="48.001" lon="11"><time>2026-05-06T12:01:00Z</time></trkpt>
      <trkpt lat="48
      """, to: "torn.gpx")
    let output = folder.path("out.csv")
    try await DaemonProcess.run(
      ["track", path, "--format", "csv", "--output", output], status: 65, saying: "torn.gpx:")
    #expect(contents(output).split(separator: "\n").count == 3)
  }

  @Test func badRecordsArePassedOverAndSaid() async throws {
    let path = try folder.write(TrackRunTests.torn, to: "torn.ndjson")
    let words = "3 records: 2 damaged (the first at torn.ndjson:2), 1 without a position on earth (torn.ndjson:4)"
    for format in ["text", "json", "csv"] {
      let output = folder.path("out.\(format)")
      let result = try await DaemonProcess.run(
        ["track", path, recording, "--format", format, "--output", output], status: 65)
      #expect(result.messages == "rxlocationd: \(path): skipped \(words); line 2 ends in the middle of a record\n")
      let document = contents(output)
      switch format {
      case "text": #expect(document.contains("Skipped         \(words)\n") && document.contains("707, "), "\(document)")
      case "json":
        let skipped = #"{"kind":"damaged","count":2,"file":"torn.ndjson","line":2}"#
        let other = #"{"kind":"position","count":1,"file":"torn.ndjson","line":4}"#
        #expect(document.contains(#""fixes":707,"#) && document.contains(#","skipped":[\#(skipped),\#(other)],"#))
        #expect(try JSONSerialization.jsonObject(with: Data(document.utf8)) is [String: Any])
      default: #expect(document.split(separator: "\n").count == 708)
      }
    }
  }

  @Test func aTimeWithoutAFix() async throws {
    // A file stays as it was, and nothing is left beside it.
    let path = try folder.write("old", to: "drive.txt")
    let arguments = ["track", recording, "--since", "2027-01-01", "--output", path]
    try await DaemonProcess.run(arguments, status: 65, saying: "no fix")
    #expect(contents(path) == "old")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["drive.txt"])
  }

  @Test(arguments: [("/nowhere/drive.txt", 73), ("/dev/full", 74)] as [(String, Int32)])
  func aPlaceThatCannotBeWritten(path: String, status: Int32) async throws {
    try await DaemonProcess.run(
      ["track", recording, "--format", "gpx", "--output", path], status: status, saying: path)
  }

  @Test func nobodyReadsAnyMore() async throws {
    let result = try await DaemonProcess.bash("$B track $D $D --format gpx | head -1; echo ${PIPESTATUS[0]}")
    #expect(result.lines.last == "0")
    #expect(result.messages.isEmpty)
  }

  @Test func aHangupEndsIt() async throws {
    let process = try DaemonProcess(["track", "-"], keepsInputOpen: true)
    try await process.wait(for: "the handlers") { process.survives(SIGINT) && !process.survives(SIGHUP) }
    try await process.terminate(SIGHUP, status: -SIGHUP)
  }

  @Test(arguments: [SIGINT, SIGTERM]) func anInterruptedTrackSaysWhatWasWritten(_ signal: Int32) async throws {
    let output = folder.path("out.csv")
    let process = try DaemonProcess(["track", "-", "--format", "csv", "--output", output], keepsInputOpen: true)
    process.write(try Checkout.text(recording))
    try await process.wait(for: "the handlers") { process.survives(signal) }
    let result = try await process.terminate(signal, status: 128 + signal, saying: "interrupted")
    #expect(!FileManager.default.fileExists(atPath: output) || result.messages.contains(output))
  }
}
