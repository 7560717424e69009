import Foundation
import TestSupport
import Testing

/// `rxlocationd track` as a person runs it.
@Suite(.startsPrograms) struct TrackTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

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
    let result = try await DaemonProcess.run(["track", recording, "--units", "metric"] + arguments)
    #expect(result.status == 0 && result.messages.isEmpty)
    let golden = Checkout.file("Tests/Golden/\(name)")
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      try Data(result.output.utf8).write(to: golden)
    }
    #expect(result.output == (try String(contentsOf: golden, encoding: .utf8)))
  }

  @Test func theReadmesPicture() async throws {
    let readme = try String(contentsOf: Checkout.file("README.md"), encoding: .utf8)
    let line = try #require(
      readme.split(separator: "\n").first { $0.contains("rxlocationd track") && $0.contains("svg") })
    let arguments = line.split(separator: " ").drop { $0 != "track" }.map(String.init)
    let picture = try #require(arguments.last)
    #expect(readme.contains("](\(picture))"))
    let result = try await DaemonProcess.run(
      arguments.dropLast() + [folder.path("drive.svg"), "--units", "metric"])
    #expect(result.status == 0)
    let drawn = try String(contentsOfFile: folder.path("drive.svg"), encoding: .utf8)
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
      try Data(drawn.utf8).write(to: Checkout.file(picture))
    }
    #expect(drawn == (try String(contentsOf: Checkout.file(picture), encoding: .utf8)))
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
    let program = DaemonProcess.executable.path
    let result = try await DaemonProcess("/usr/bin/env", ["TZ=Asia/Tokyo", program, "track", recording]).waitUntilExit()
    #expect(result.output.contains("2026-05-07 08:54:00 to 09:05:59 JST"), "\(result.output)")
  }

  // MARK: Inputs

  @Test func severalFilesMakeOneTrack() async throws {
    let text = try String(contentsOf: Checkout.file(recording), encoding: .utf8)
    let epochs = text.components(separatedBy: "$GNRMC").dropFirst().map { "$GNRMC" + $0 }
    let first = try folder.write(epochs.prefix(100).joined(), to: "first.nmea")
    let second = try folder.write(epochs.dropFirst(100).prefix(100).joined(), to: "second.nmea")
    let result = try await DaemonProcess.run(["track", first, second, "--format", "json"])
    #expect(result.status == 0)
    #expect(result.output.contains(#""name":"first.nmea, second.nmea","fixes":200,"segments":2,"#))
  }

  @Test func standardInput() async throws {
    let data = try Data(contentsOf: Checkout.file(recording))
    let piped = try await DaemonProcess.run(["track", "-", "--format", "csv"], standardInput: data)
    let named = try await DaemonProcess.run(["track", recording, "--format", "csv"])
    #expect(piped.status == 0)
    #expect(piped.output.replacing(",stdin,", with: ",drive.nmea,") == named.output)
  }

  @Test func whatItWritesItReads() async throws {
    let gpx = folder.path("drive.gpx")
    #expect(try await DaemonProcess.run(["track", recording, "--format", "gpx", "--output", gpx]).status == 0)
    if let complaints = try GPXSchema.validate([gpx], in: folder) { #expect(complaints == "") }
    func figures(_ input: String) async throws -> [String: Any] {
      let result = try await DaemonProcess.run(["track", input, "--format", "json"])
      return try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any] ?? [:]
    }
    let (first, second) = (try await figures(recording), try await figures(gpx))
    for key in ["fixes", "segments", "distance", "movingTime", "greatestSpeed", "highestAltitude"] {
      #expect(first[key] as? Double == second[key] as? Double, "\(key)")
    }
  }

  /// What the daemon prints of a recording has its losses.
  @Test(arguments: ["ndjson", "csv", "gpx"]) func itReadsWhatReplayWrites(_ format: String) async throws {
    let replayed = try await DaemonProcess.run(["replay", recording, "--speed", "max", "--format", format])
    let path = try folder.write(replayed.output, to: "drive")
    func figures(_ input: String) async throws -> Substring {
      let result = try await DaemonProcess.run(["track", input, "--units", "metric"])
      #expect(result.status == 0, "\(result.messages)")
      return result.output.drop { $0 != "\n" }
    }
    #expect(try await figures(path) == figures(recording))
  }

  /// The figures that a format has the members for. KML knows no speeds of the receiver, GeoJSON no times.
  @Test(arguments: [
    ("csv", ["fixes", "segments", "distance", "movingTime", "gapTime", "gapDistance", "greatestSpeed", "start"]),
    ("kml", ["fixes", "segments", "distance", "movingTime", "highestAltitude", "start", "end"]),
    ("geojson", ["fixes", "segments", "distance"]),
  ]) func itReadsItsOtherFormats(_ format: String, _ members: [String]) async throws {
    let path = folder.path("drive.\(format)")
    #expect(try await DaemonProcess.run(["track", recording, "--format", format, "--output", path]).status == 0)
    func figures(_ arguments: [String]) async throws -> NSDictionary {
      let result = try await DaemonProcess.run(["track", "--format", "json"] + arguments)
      #expect(result.status == 0, "\(result.messages)")
      let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any] ?? [:]
      return NSDictionary(dictionary: object.filter { members.contains($0.key) })
    }
    let whole = try await figures([recording])
    #expect(try await figures([path]) == whole)
    #expect(whole.count == members.count)
  }

  @Test(arguments: ["text", "json", "svg", "html"]) func itSaysWhatItWroteForPeople(_ format: String) async throws {
    let path = folder.path("drive")
    #expect(try await DaemonProcess.run(["track", recording, "--format", format, "--output", path]).status == 0)
    let result = try await DaemonProcess.run(["track", path])
    #expect(result.status == 65 && result.output.isEmpty)
    #expect(result.messages.contains("without fixes; read the recording"), "\(result.messages)")
  }

  // MARK: Outputs

  @Test func aFileIsReplacedAsAWholeAndKeepsItsMode() async throws {
    let path = try folder.write("old", to: "drive.json")
    chmod(path, 0o640)
    #expect(try await DaemonProcess.run(["track", recording, "--format", "json", "--output", path]).status == 0)
    #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix(#"{"type":"track""#))
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
    // What was written under another name is gone.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["drive.json"])
  }

  @Test func whatIsNoFileIsWrittenTo() async throws {
    #expect(try await DaemonProcess.run(["track", recording, "--output", "/dev/null"]).status == 0)
    #expect(FileManager.default.fileExists(atPath: "/dev/null"))
    #expect(
      try FileManager.default.attributesOfItem(atPath: "/dev/null")[.type] as? FileAttributeType
        == .typeCharacterSpecial)
  }

  @Test func itIsWrittenWhileTheInputGoesOn() async throws {
    let process = try DaemonProcess(["track", "-", "--format", "csv"], keepsInputOpen: true)
    let text = (0..<3000).map { NMEA.epoch($0) }.joined()
    process.write(Data(text.utf8))
    try await process.wait(for: "lines") { process.output.count { $0 == "\n" } > 500 }
    process.closeInput()
    let result = try await process.waitUntilExit()
    #expect(result.status == 0 && result.lines.count == 3001)
  }

  /// What is there already stays in front of it.
  @Test func standardOutputIsAppendedToWhereverItIsNamed() async throws {
    let path = try folder.write("before\n", to: "out")
    let command = "'\(DaemonProcess.executable.path)' track \(recording) --output /dev/stdout >>'\(path)'"
    #expect(try await DaemonProcess("/bin/bash", ["-c", command]).waitUntilExit().status == 0)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(text.hasPrefix("before\ndrive.nmea"), "\(text)")
  }

  @Test func aSimplifiedTrackBeginsAndEndsAsItDid() async throws {
    let whole = try await DaemonProcess.run(["track", recording, "--format", "csv"]).lines
    let simple = try await DaemonProcess.run(["track", recording, "--format", "csv", "--simplify", "50"]).lines
    #expect(simple.count < whole.count / 4 && simple.prefix(2) == whole.prefix(2) && simple.last == whole.last)
    // Its figures are those of all fixes.
    let arguments = ["track", recording, "--format", "json"]
    let figures = try await DaemonProcess.run(arguments + ["--simplify", "50"]).output
    #expect(figures == (try await DaemonProcess.run(arguments).output))
  }

  // MARK: Statuses

  @Test(arguments: [
    ["--format", "pdf"], ["--split", "day"], ["--split", "day", "--output", "/dev/null"], ["--output", "{}.csv"],
    ["--time-zone", "Mars/Olympus"],
    ["--time-zone", "../../etc/passwd"], ["--since", "yesterday"], ["--stop-after", "0"], ["--max-speed", "nan"],
    ["--since", "2026-05-07", "--until", "2026-05-06"],
  ]) func wrongFlags(_ arguments: [String]) async throws {
    #expect(try #require(await Refusal(["track", recording] + arguments)).status == 64)
  }

  @Test func standardInputIsReadOnce() async throws {
    let trips = ["track", "-", "--split", "trip", "--output", "/tmp/{}.gpx"]
    #expect(try await DaemonProcess.run(trips).status == 64)
    #expect(try await DaemonProcess.run(["track", "-", "-"]).status == 64)
  }

  @Test func aMissingInputIsSaidAndTheOthersAreUsed() async throws {
    let result = try await DaemonProcess.run(["track", "missing.nmea", recording, "--format", "csv"])
    #expect(result.status == 66)
    #expect(result.messages.contains("missing.nmea"))
    #expect(result.lines.count == 705)
    let alone = try await DaemonProcess.run(["track", "missing.nmea", "--format", "svg"])
    #expect(alone.status == 66 && alone.output.isEmpty)
  }

  @Test func theFirstErrorGivesTheStatus() async throws {
    let noise = try folder.write("this is\nno recording\n", to: "noise.nmea")
    for (files, status) in [(["missing.nmea", noise], Int32(66)), ([noise, "missing.nmea"], 65)] {
      let result = try await DaemonProcess.run(["track"] + files)
      #expect(result.status == status)
      #expect(result.messages.contains("missing.nmea") && result.messages.contains("noise.nmea"))
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
    let result = try await DaemonProcess.run(["track", path, "--format", "csv", "--output", output])
    #expect(result.status == 65)
    #expect(result.messages.contains("torn.gpx:"))
    #expect(try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").count == 3)
  }

  /// A fix before and after each line that the daemon was killed in, a latitude of 95 among them.
  private static let torn = """
    {"type":"location","time":"2026-05-06T12:00:00Z","latitude":48,"longitude":11}
    {"type":"location","time":"2026-05-06T12:00:0
    {"type":"location","time":"2026-05-06T12:00:10Z","latitude":48.001,"longitude":11}
    {"type":"location","time":"2026-05-06T12:00:15Z","latitude":95,"longitude":11}
    {"type":"location","time":"2026-05-07T12:00:20Z","latitude":48.002,"longitude":11}
    {"type":"location","ti
    """

  @Test func badRecordsArePassedOverAndSaid() async throws {
    let path = try folder.write(Self.torn, to: "torn.ndjson")
    let words = "3 records: 2 damaged (the first at torn.ndjson:2), 1 without a position on earth (torn.ndjson:4)"
    for format in ["text", "json", "csv"] {
      let output = folder.path("out.\(format)")
      let result = try await DaemonProcess.run(["track", path, recording, "--format", format, "--output", output])
      #expect(result.status == 65)
      #expect(result.messages == "rxlocationd: \(path): skipped \(words); line 2 ends in the middle of a record\n")
      let document = try String(contentsOfFile: output, encoding: .utf8)
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

  @Test func eachDaySaysItsOwnSkippedRecords() async throws {
    let path = try folder.write(Self.torn, to: "torn.ndjson")
    let result = try await DaemonProcess.run([
      "track", path, "--split", "day", "--format", "json", "--output", folder.path("{}.json"),
    ])
    #expect(result.status == 65)
    let counts = try ["06", "07"].map { day in
      let text = try String(contentsOfFile: folder.path("2026-05-\(day).json"), encoding: .utf8)
      let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      return (object["skipped"] as? [[String: Any]])?.compactMap { $0["count"] as? Int } ?? []
    }
    #expect(counts == [[1, 1], [1]])
  }

  @Test func aTimeWithoutAFix() async throws {
    let result = try await DaemonProcess.run(["track", recording, "--since", "2027-01-01"])
    #expect(result.status == 65)
    #expect(result.output.isEmpty && result.messages.contains("no fix"))
    // A file stays as it was, and nothing is left beside it.
    let path = try folder.write("old", to: "drive.txt")
    let arguments = ["track", recording, "--since", "2027-01-01", "--output", path]
    #expect(try await DaemonProcess.run(arguments).status == 65)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["drive.txt"])
  }

  @Test func aPlaceThatCannotBeWritten() async throws {
    let result = try await DaemonProcess.run(["track", recording, "--output", "/nowhere/drive.txt"])
    #expect(result.status == 73)
    #expect(result.messages.contains("/nowhere/drive.txt"))
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"))) func aFullDisk() async throws {
    let result = try await DaemonProcess.run(["track", recording, "--format", "gpx", "--output", "/dev/full"])
    #expect(result.status == 74)
    #expect(result.messages.contains("/dev/full"))
  }

  @Test func nobodyReadsAnyMore() async throws {
    let command =
      "'\(DaemonProcess.executable.path)' track \(recording) \(recording) --format gpx | head -1; echo ${PIPESTATUS[0]}"
    let result = try await DaemonProcess("/bin/bash", ["-c", command]).waitUntilExit()
    #expect(result.lines.last == "0")
    #expect(result.messages.isEmpty)
  }

  @Test func aHangupEndsIt() async throws {
    let process = try DaemonProcess(["track", "-"], keepsInputOpen: true)
    try await process.wait(for: "the handlers") { process.survives(SIGINT) && !process.survives(SIGHUP) }
    process.send(signal: SIGHUP)
    #expect(try await process.waitUntilExit().status == -SIGHUP)
  }

  @Test(arguments: [SIGINT, SIGTERM]) func anInterruptedTrackSaysWhatWasWritten(_ signal: Int32) async throws {
    let output = folder.path("out.csv")
    let process = try DaemonProcess(["track", "-", "--format", "csv", "--output", output], keepsInputOpen: true)
    process.write(try Data(contentsOf: Checkout.file(recording)))
    try await process.wait(for: "the handlers") { process.survives(signal) }
    process.send(signal: signal)
    let result = try await process.waitUntilExit()
    #expect(result.status == 128 + signal)
    #expect(result.messages.contains("interrupted"))
    #expect(!FileManager.default.fileExists(atPath: output) || result.messages.contains(output))
  }
}
