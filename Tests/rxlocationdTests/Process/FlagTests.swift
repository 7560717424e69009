import Foundation
import Journal
import LocationKit
import Testing
import TestSupport

@testable import rxlocationd

/// What each flag does in the output of the process: in a configuration file, and on the command line, over a file that
/// says otherwise where one can. A flag without a row here is a failure.
@Suite(.startsPrograms) struct FlagTests {
  /// Settings to try together, as lines of a configuration file; FOLDER and PORT in them are the place's.
  struct Row: CustomTestStringConvertible, Sendable {
    var lines: [String]
    /// What the file says when the flags are to win.
    var others: [String]
    /// Runs the program with `arguments`, in which the settings are, and looks at what it does.
    var check: @Sendable (_ arguments: [String], _ place: Place) async throws -> Void

    var testDescription: String { lines.joined(separator: ", ") }

    init(
      _ lines: String..., over others: String...,
      check: @escaping @Sendable (_ arguments: [String], _ place: Place) async throws -> Void
    ) { (self.lines, self.others, self.check) = (lines, others, check) }
  }

  /// A folder and a port of its own for each try of a row, so that tests run beside each other.
  final class Place: Sendable {
    let port = LoopbackSocket.unusedPort()
    let folder = TemporaryFolder()

    func path(_ name: String) -> String { folder.path(name) }

    func line(_ text: String) -> String {
      text.replacing("FOLDER", with: folder.url.path).replacing("PORT", with: "\(port)")
    }

    /// The flag that names a configuration file with these lines.
    func file(_ lines: [String]) throws -> [String] {
      ["--config", try folder.write(lines.map { line($0) + "\n" }.joined(), to: "rxlocationd.conf")]
    }

    func flags(_ lines: [String]) -> [String] {
      lines.flatMap { ("--" + line($0)).split(separator: " ", maxSplits: 1).map(String.init) }
    }

    /// Runs `body` beside a daemon with these arguments that has some fixes, then ends it.
    func live(_ arguments: [String], _ body: (DaemonProcess) async throws -> Void) async throws {
      let process = try DaemonProcess(["replay", "-"] + arguments, keepsInputOpen: true)
      process.feed(0..<3)
      try await body(process)
      try await process.terminate()
    }
  }

  static let recording = "Recordings/drive.nmea"

  static func replay(_ arguments: [String]) async throws -> DaemonProcess.Result {
    try await DaemonProcess.run(["replay", recording, "--speed", "max"] + arguments)
  }

  private static func location(_ record: [String: Any]) -> Location {
    Location(latitude: record["latitude"] as? Double ?? .nan, longitude: record["longitude"] as? Double ?? .nan)
  }

  /// The settings that a file may hold, too.
  static let settings: [Row] = [
    Row("format csv", over: "format geojson") { arguments, _ in
      let result = try await replay(arguments)
      #expect(result.output.hasPrefix("time,latitude,longitude,"))
      #expect(result.lines.count == 705)
    },
    Row(
      "nmea-short", "region-socket-group \(group.name)", "reader-limit 1",
      over: "region-socket-group root", "reader-limit 2"
    ) { arguments, place in
      let (nmea, regions) = (place.path("nmea"), place.path("regions"))
      let sockets = ["--nmea", "unix:" + nmea, "--region-socket", "unix:" + regions]
      let process = try DaemonProcess(["replay", "-"] + sockets + arguments, keepsInputOpen: true)
      // The sockets are opened when the first sentence has shown what the input is.
      process.write(NMEA.sentence("GPRMC,115959.00,A,4730.0,N,00830.0,E,1.0,45.0,010225,,,A"))
      let (reader, first) = (try await SocketReader(unix: nmea), try await SocketReader(unix: regions))
      process.write(
        NMEA.sentence("GPRMC,120000.00,A,4730.0000000,N,00830.0000000,E,1.0,45.0,010225,,,R")
          + NMEA.sentence("GPGGA,120000.00,4730.0000000,N,00830.0000000,E,4,12,0.5,512.345,M,48.123,M,1.2,0120"))
      _ = try await first.lines(atLeast: 1)
      let owner = try FileManager.default.attributesOfItem(atPath: regions)[.groupOwnerAccountID] as? Int
      #expect(owner == group.identifier)
      let second = try await SocketReader(unix: regions)
      #expect(await eventually { second.hasEnded })
      #expect(!first.hasEnded)
      process.closeInput()
      let lines = try await reader.lines { $0.contains { $0.contains("GGA,120000") } }
      let sentence = lines.first { $0.contains("GGA,120000") } ?? ""
      // A reader's lines have no end.
      #expect(sentence.utf8.count + 2 <= 82, "\(sentence)")
    },
    Row("span 2000", over: "span 5000") { arguments, _ in
      let result = try await replay(arguments + ["--format", "none", "--region-log", "-"])
      let span = result.records("region").first?["span"] as? [String: Double]
      #expect(abs((span?["latitudeDelta"] ?? 0) * 111_000 - 2000) < 20)
      // At 37.8 degrees north.
      #expect(abs((span?["longitudeDelta"] ?? 0) * 88_000 - 2000) < 20)
    },
    Row("distance-filter 100", "accuracy 13", over: "distance-filter 0", "accuracy 1000") { arguments, _ in
      let records = try await replay(arguments).records("location")
      let (locations, accuracies) = (records.map(location), records.map { $0["horizontalAccuracy"] as? Double })
      #expect((15..<400).contains(records.count), "\(records.count)")
      #expect(zip(locations, locations.dropFirst()).allSatisfy { $0.distance(from: $1) >= 99.9 })
      #expect(accuracies.allSatisfy { $0.map { $0 <= 13 } ?? false }, "\(accuracies)")
    },
    Row("max-speed 5", over: "max-speed 10000") { arguments, _ in
      // Most of the drive is faster than this.
      let count = try await replay(arguments).records("location").count
      #expect((50..<600).contains(count), "\(count)")
    },
    Row("hold 30", over: "hold 1") { arguments, _ in
      let locations = try await replay(arguments).records("location")
      let held = locations.filter { $0["held"] as? Bool == true }
      let coordinates: [String] = held.map { "\(location($0).coordinate)" }
      #expect((10..<locations.count / 2).contains(held.count), "\(held.count)")
      #expect(Set(coordinates).count < 20)
    },
    Row("stale-after 0.3", over: "stale-after 3600") { arguments, place in
      try await place.live(arguments) { process in
        // By default it would be "for 10.0 s".
        try await process.wait(for: "an error") { process.output.contains(#""code":"locationUnknown""#) }
        #expect(process.output.contains("no fix for 0.3 s"))
      }
    },
    Row("spare-disk") { arguments, place in
      let result = try await replay(
        arguments + ["--format", "none", "--region-log", "-", "--journal", place.path("j")])
      let regions = result.records("region").count
      let rows = try JournalReader(path: place.path("j"), name: "test", startingAt: .oldest).waiting().count
      #expect((100..<650).contains(regions) && (100..<650).contains(rows), "\(regions) \(rows)")
    },
    Row("fence-memory 60", over: "fence-memory 86400") { arguments, place in
      // Inside at the end; outside five minutes later, which is longer than the fence's state is known.
      let fence = ["--speed", "max", "--journal", place.path("j"), "--fence", "a=51.17,-0.125,2000"]
      func replay(_ epochs: Range<Int>) async throws -> DaemonProcess.Result {
        try await DaemonProcess.run(["replay", place.folder.recording(epochs)] + fence + arguments)
      }
      _ = try await replay(0..<10)
      #expect(try await replay(20_000..<20_010).records("fence").isEmpty)
    },
    Row("log-level error", over: "log-level info") { arguments, _ in
      // At info, the replay ends with the count of its locations.
      let result = try await replay(arguments)
      #expect(result.messages.isEmpty)
      #expect(!result.output.isEmpty)
    },
  ]

  static let ofRun = [
    Row("record-limit 1M", over: "record-limit 2M") { arguments, place in
      // Pieces of an eighth of the limit.
      let record = place.path("record")
      let line = "1764124000.000001: {\"class\":\"CONNECTION\",\"state\":\"silent\"}\n"
      try place.folder.write(String(repeating: line, count: 140_000 / line.utf8.count), to: "record")
      let process = try DaemonProcess(["run", "--gpsd", "127.0.0.1:9", "--record", record] + arguments)
      try await process.wait(for: "a piece") {
        ["", ".gz"].contains { FileManager.default.fileExists(atPath: record + ".000001" + $0) }
      }
      try await process.terminate()
    }
  ]

  static let ofMap: [Row] = [
    Row(
      "map-name gps.example", "map-tiles https://tiles.example/{z}/{x}/{y}.png", "map-attribution Somebody",
      "map-assets FOLDER",
      over: "map-name other.example", "map-tiles https://other.example/{z}/{x}/{y}.png", "map-attribution Another",
      "map-assets /nowhere"
    ) { arguments, place in
      try place.folder.write("leaflet", to: "leaflet.min.js")
      try place.folder.write("style", to: "leaflet.css")
      try await place.live(arguments + ["--map", "127.0.0.1:\(place.port)"]) { process in
        try await process.wait(for: "locations") { !process.output.isEmpty }
        let page = PageClient(port: place.port)
        let good = try await page.ask("/", host: "gps.example:443")
        #expect(good.hasPrefix("HTTP/1.1 200 ") && good.contains("img-src 'self' data: https://tiles.example;"))
        #expect(try await page.ask("/", host: "other.example").hasPrefix("HTTP/1.1 421 "))
        let tiles = #""tiles":{"url":"https://tiles.example/{z}/{x}/{y}.png","attribution":"Somebody""#
        #expect(try await page.get("/state.json").contains(tiles))
        #expect(try await page.get("/leaflet/leaflet.js") == "leaflet")
      }
    }
  ]

  /// What a file may have, and other suites try in the process.
  static let ofOtherSuites = [
    "BadInputTests": ["strict"], "CollectProcessTests": ["subscribe mqtt://127.0.0.1:PORT"],
    "DeliveryTests": ["fence a=1,2,50"], "DiscoveryProcessTests": ["publish-discovery"],
    "FenceProcessTests": ["fences FOLDER/x.geojson", "fence-state FOLDER/inside", "fence-state-privacy grid:1000"],
    "JournalProcessTests": ["journal FOLDER/journal.db"], "LiveTests": ["gpsd 127.0.0.1:9"],
    "LocationSocketTests": ["location-socket unix:FOLDER/s", "location-socket-format geojson"],
    "MapProcessTests": ["map 127.0.0.1:PORT"], "MetricsTests": ["metrics 127.0.0.1:PORT"],
    "NMEASocketTests": ["nmea unix:FOLDER/s"],
    "PrivacyProcessTests": [
      "map-privacy grid:1000", "nmea-privacy grid:1000", "publish-privacy grid:1000", "region-socket-privacy grid:1000",
      "location-socket-privacy grid:1000",
    ],
    "ProgressTests": ["quiet"],
    "PublishingProcessTests": ["publish mqtt://127.0.0.1:PORT", "publish-topic a/b", "journal-limit 1M"],
    "PublishingStateTests": ["publish-commands"], "RecordTests": ["record FOLDER/record"],
    "RegionSocketOutputTests": ["region-socket-mode 640"],
    "RegionSocketProcessTests": ["region-socket unix:FOLDER/s"],
    "ReplayTests": ["loop", "region-log FOLDER/log", "speed max"],
  ]

  /// What stands on the command line only.
  static let commandLineOnly = [
    "CollectProcessTests": ["list"], "ConfigurationFileTests": ["config"], "FlagTests": ["help"],
    "LiveTests": ["timeout"], "RecordTests": ["raw"], "ReportBundleTests": ["bundle", "bundle-offset"],
    "StartingTests": ["version"], "TrackRunTests": ["device"],
    "TrackTests": ["output", "since", "split", "until"],
  ]

  /// A group other than the one that files get by themselves, where this process may choose one.
  private static let group: (name: String, identifier: Int) = {
    let identifier = geteuid() == 0 ? 1 : getegid()
    return (getgrgid(identifier).map { String(cString: $0.pointee.gr_name) } ?? "root", Int(identifier))
  }()

  private static let lists: [[Row]] = [
    settings, ofPublishing, ofMap, ofRun, ofTrackReading, ofCollect, ofDatabase,
  ]
  static let lines = lists.joined().flatMap(\.lines) + ofOtherSuites.values.joined()

  @Test(arguments: lists.flatMap { $0 }) func onTheCommandLineOverAFile(row: Row) async throws {
    let place = Place()
    let file = row.others.isEmpty ? [] : try place.file(row.others)
    try await row.check(place.flags(row.lines) + file, place)
  }

  @Test(arguments: lines) func aLineOfAFileIsItsFlag(text: String) throws {
    let line = Place().line(text)
    let file = try ConfigurationFile(parsing: line, path: "rxlocationd.conf")
    #expect(file.lines.map(\.argument) == ["--" + line.replacing(" ", with: "=", maxReplacements: 1)])
  }

  /// One of each list, since a line is its flag.
  @Test(arguments: lists.compactMap(\.first)) func inTheFileOfAProcess(row: Row) async throws {
    let place = Place()
    try await row.check(place.file(["# A setting."] + row.lines), place)
  }

  @Test(arguments: [false, true]) func ofTheDoctor(usesFile: Bool) async throws {
    let listener = try LoopbackSocket.listener()
    let address = "127.0.0.1:\(listener.port)"
    let place = Place()
    let arguments =
      usesFile
      ? try place.file(["gpsd \(address)", "region-socket unix:/nowhere/s", "format csv", "speed 3"])
      : ["--gpsd", address, "--region-socket", "unix:/nowhere/s"]
    let doctor = try DaemonProcess(["doctor", "--format", "json", "--timeout", "1"] + arguments)
    let client = try listener.accept()
    let result = try await doctor.waitUntilExit()
    withExtendedLifetime((client, place)) {}
    #expect(result.status == 69)
    let findings = result.lines.compactMap { try? JSONDecoder().decode([String: String].self, from: Data($0.utf8)) }
    #expect(findings.count == result.lines.count)
    #expect(findings.contains { $0["step"] == "region socket" && $0["outcome"] == "failure" })
    #expect(findings.contains { $0["step"] == "gpsd" && $0["message"]?.contains("sent nothing") == true })
  }
}
