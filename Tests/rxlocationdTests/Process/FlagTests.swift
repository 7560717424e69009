import Foundation
import Journal
import LocationKit
import Testing
import TestSupport

@testable import rxlocationd

/// What each flag does in the output of the process: in a configuration file, and on the command line, over a file that
/// says otherwise where one can. A flag without a row here is a failure.
@Suite(.startsPrograms) struct FlagTests {
  /// A flag with a value to try; FOLDER and PORT in it are the place's.
  struct Row: CustomTestStringConvertible, Sendable {
    var flag: String
    /// `nil` for a switch.
    var value: String?
    /// What the file says when the flag is to win; `nil` where it cannot.
    var other: String?
    /// Runs the program with `arguments`, in which the setting is, and looks at what it does.
    var check: @Sendable (_ arguments: [String], _ place: Place) async throws -> Void

    var testDescription: String { "--\(flag) \(value ?? "")" }

    init(
      _ flag: String, _ value: String? = nil, over other: String? = nil,
      _ check: @escaping @Sendable ([String], Place) async throws -> Void
    ) {
      (self.flag, self.value, self.other, self.check) = (flag, value, other, check)
    }

    /// A flag that `suite` tries.
    init(_ flag: String, _ value: String? = nil, seenBy suite: String) { self.init(flag, value) { _, _ in } }
  }

  /// A folder and a port of its own for each try of a row, so that tests run beside each other.
  final class Place: Sendable {
    let port: UInt16
    let folder: TemporaryFolder

    init() throws {
      folder = try TemporaryFolder()
      port = try LoopbackSocket.unusedPort()
    }

    func path(_ name: String) -> String { folder.path(name) }

    /// A value for this place.
    func value(_ text: String) -> String {
      text.replacing("FOLDER", with: folder.url.path).replacing("PORT", with: "\(port)")
    }

    /// The flag that names a configuration file with these lines.
    func file(_ lines: String) throws -> [String] {
      ["--config", try folder.write(value(lines), to: "rxlocationd.conf")]
    }
  }

  static let recording = "Recordings/drive.nmea"

  static func replay(_ arguments: [String]) async throws -> DaemonProcess.Result {
    try await DaemonProcess.run(["replay", recording, "--speed", "max"] + arguments)
  }

  private static func records(_ result: DaemonProcess.Result, _ type: String) -> [[String: Any]] {
    result.lines.compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
      .filter { $0["type"] as? String == type }
  }

  private static func location(_ record: [String: Any]) -> Location {
    Location(latitude: record["latitude"] as? Double ?? .nan, longitude: record["longitude"] as? Double ?? .nan)
  }

  /// Runs `body` while the program waits for standard input, then ends it.
  static func live(
    _ arguments: [String], _ body: (DaemonProcess) async throws -> Void
  ) async throws {
    let process = try DaemonProcess(["replay", "-"] + arguments, keepsInputOpen: true)
    process.write(Data((0..<3).map { NMEA.epoch($0) }.joined().utf8))
    try await body(process)
    try await process.terminate()
  }

  /// The settings that a file may hold, too.
  static let settings: [Row] = [
    Row("format", "csv", over: "geojson") { arguments, _ in
      let result = try await replay(arguments)
      #expect(result.output.hasPrefix("time,latitude,longitude,"))
      #expect(result.lines.count == 705)
    },
    Row("nmea-short") { arguments, place in
      let socket = place.path("socket")
      let arguments = arguments + ["--nmea", "unix:" + socket]
      let rtk =
        NMEA.sentence("GPRMC,120000.00,A,4730.0000000,N,00830.0000000,E,1.0,45.0,010225,,,R")
        + NMEA.sentence("GPGGA,120000.00,4730.0000000,N,00830.0000000,E,4,12,0.5,512.345,M,48.123,M,1.2,0120")
      let process = try DaemonProcess(["replay", "-"] + arguments, keepsInputOpen: true)
      // The sockets are opened when the first sentence has shown what the input is.
      process.write(Data(NMEA.sentence("GPRMC,115959.00,A,4730.0,N,00830.0,E,1.0,45.0,010225,,,A").utf8))
      let reader = try await SocketReader(unix: socket)
      process.write(Data(rtk.utf8))
      process.closeInput()
      let sentence = try await reader.lines { $0.contains { $0.contains("GGA,120000") } }.first {
        $0.contains("GGA,120000")
      }
      // A reader's lines have no end.
      #expect(sentence.map { $0.utf8.count + 2 <= 82 } == true, "\(sentence ?? "none")")
    },
    Row("region-socket-group", group.name, over: "root") { arguments, place in
      let socket = place.path("socket")
      try await live(arguments + ["--region-socket", "unix:" + socket]) { _ in
        _ = try await SocketReader(unix: socket)
        let owner = try FileManager.default.attributesOfItem(atPath: socket)[.groupOwnerAccountID] as? Int
        #expect(owner == group.identifier)
      }
    },
    Row("reader-limit", "1", over: "2") { arguments, place in
      let socket = place.path("socket")
      try await live(arguments + ["--region-socket", "unix:" + socket]) { _ in
        let first = try await SocketReader(unix: socket)
        _ = try await first.lines(atLeast: 1)
        let second = try await SocketReader(unix: socket)
        #expect(await eventually { second.hasEnded })
        #expect(!first.hasEnded)
      }
    },
    Row("span", "2000", over: "5000") { arguments, _ in
      let result = try await replay(arguments + ["--format", "none", "--region-log", "-"])
      let span = records(result, "region").first?["span"] as? [String: Double]
      #expect(abs((span?["latitudeDelta"] ?? 0) * 111_000 - 2000) < 20)
      // At 37.8 degrees north.
      #expect(abs((span?["longitudeDelta"] ?? 0) * 88_000 - 2000) < 20)
    },
    Row("distance-filter", "100", over: "0") { arguments, _ in
      let locations = records(try await replay(arguments), "location").map(location)
      #expect((20..<600).contains(locations.count))
      #expect(zip(locations, locations.dropFirst()).allSatisfy { $0.distance(from: $1) >= 99.9 })
    },
    Row("accuracy", "13", over: "1000") { arguments, _ in
      let accuracies = records(try await replay(arguments), "location").map { $0["horizontalAccuracy"] as? Double }
      #expect((50..<650).contains(accuracies.count), "\(accuracies.count)")
      #expect(accuracies.allSatisfy { $0.map { $0 <= 13 } ?? false })
    },
    Row("max-speed", "5", over: "10000") { arguments, _ in
      // Most of the drive is faster than this.
      let count = records(try await replay(arguments), "location").count
      #expect((50..<600).contains(count), "\(count)")
    },
    Row("hold", "30", over: "1") { arguments, _ in
      let locations = records(try await replay(arguments), "location")
      let held = locations.filter { $0["held"] as? Bool == true }
      let coordinates: [String] = held.map { "\(location($0).coordinate)" }
      #expect((10..<locations.count / 2).contains(held.count), "\(held.count)")
      #expect(Set(coordinates).count < 20)
    },
    Row("stale-after", "0.3", over: "3600") { arguments, _ in
      try await live(arguments) { process in
        // By default it would be "for 10.0 s".
        try await process.wait(for: "an error") { process.output.contains(#""code":"locationUnknown""#) }
        #expect(process.output.contains("no fix for 0.3 s"))
      }
    },
    Row("journal-limit", "1M", over: "2M") { arguments, place in
      let recording = place.path("long.nmea")
      try Data((0..<15_000).map { NMEA.epoch($0) }.joined().utf8).write(to: URL(fileURLWithPath: recording))
      let journal = place.path("journal.db")
      let result = try await DaemonProcess.run(
        ["replay", recording, "--speed", "max", "--format", "none", "--journal", journal] + arguments)
      #expect(result.status == 0, "\(result.messages)")
      let size = try FileManager.default.attributesOfItem(atPath: journal)[.size] as? Int ?? 0
      #expect((500_000...1 << 20).contains(size), "\(size)")
    },
    Row("spare-disk") { arguments, place in
      let result = try await replay(
        arguments + ["--format", "none", "--region-log", "-", "--journal", place.path("j")])
      let regions = records(result, "region").count
      let reader = try JournalReader(path: place.path("j"), name: "test", startingAt: .oldest)
      let rows = try reader.waiting().count
      #expect((100..<650).contains(regions) && (100..<650).contains(rows), "\(regions) \(rows)")
    },
    Row("fence-memory", "60", over: "86400") { arguments, place in
      // Inside at the end; outside five minutes later, which is longer than the fence's state is known.
      let fence = ["--speed", "max", "--journal", place.path("j"), "--fence", "a=51.17,-0.125,2000"]
      func replay(_ epochs: Range<Int>) async throws -> DaemonProcess.Result {
        let recording = place.path("part.nmea")
        try Data(epochs.map { NMEA.epoch($0) }.joined().utf8).write(to: URL(fileURLWithPath: recording))
        return try await DaemonProcess.run(["replay", recording] + fence + arguments)
      }
      _ = try await replay(0..<10)
      #expect(records(try await replay(20_000..<20_010), "fence").isEmpty)
    },
    Row("log-level", "error", over: "info") { arguments, _ in
      // At info, the replay ends with the count of its locations.
      let result = try await replay(arguments)
      #expect(result.messages.isEmpty)
      #expect(!result.output.isEmpty)
    },
  ]

  static let ofRun = [
    Row("record-limit", "1M", over: "2M") { arguments, place in
      // Pieces of an eighth of the limit.
      let record = place.path("record")
      let line = "1764124000.000001: {\"class\":\"CONNECTION\",\"state\":\"silent\"}\n"
      try Data(String(repeating: line, count: 140_000 / line.utf8.count).utf8).write(to: URL(fileURLWithPath: record))
      let process = try DaemonProcess(["run", "--gpsd", "127.0.0.1:9", "--record", record] + arguments)
      try await process.wait(for: "a piece") {
        FileManager.default.fileExists(atPath: record + ".000001")
          || FileManager.default.fileExists(atPath: record + ".000001.gz")
      }
      try await process.terminate()
    }
  ]

  /// What a file may have, and other suites try in the process.
  static let ofOtherSuites: [Row] = [
    Row("fence", "a=1,2,50", seenBy: "DeliveryTests"), Row("gpsd", "127.0.0.1:9", seenBy: "LiveTests"),
    Row("fences", "FOLDER/fences.geojson", seenBy: "FenceProcessTests"),
    Row("fence-state", "FOLDER/inside", seenBy: "FenceProcessTests"),
    Row("fence-state-privacy", "grid:1000", seenBy: "FenceProcessTests"),
    Row("journal", "FOLDER/journal.db", seenBy: "JournalProcessTests"),
    Row("location-socket", "unix:FOLDER/s", seenBy: "LocationSocketTests"),
    Row("location-socket-format", "geojson", seenBy: "LocationSocketTests"),
    Row("location-socket-privacy", "grid:1000", seenBy: "LocationSocketTests"), Row("loop", seenBy: "ReplayTests"),
    Row("map", "127.0.0.1:PORT", seenBy: "MapProcessTests"),
    Row("map-privacy", "grid:1000", seenBy: "PrivacyProcessTests"),
    Row("metrics", "127.0.0.1:PORT", seenBy: "MetricsTests"), Row("nmea", "unix:FOLDER/s", seenBy: "NMEASocketTests"),
    Row("nmea-privacy", "grid:1000", seenBy: "PrivacyProcessTests"),
    Row("publish", "mqtt://127.0.0.1:PORT", seenBy: "PublishingProcessTests"),
    Row("publish-commands", seenBy: "PublishingStateTests"), Row("publish-discovery", seenBy: "DiscoveryProcessTests"),
    Row("publish-privacy", "grid:1000", seenBy: "PrivacyProcessTests"),
    Row("publish-topic", "a/b", seenBy: "PublishingProcessTests"), Row("quiet", seenBy: "ProgressTests"),
    Row("record", "FOLDER/record", seenBy: "RecordTests"), Row("region-log", "FOLDER/log", seenBy: "ReplayTests"),
    Row("region-socket", "unix:FOLDER/s", seenBy: "RegionSocketProcessTests"),
    Row("region-socket-mode", "640", seenBy: "RegionSocketProcessTests"),
    Row("region-socket-privacy", "grid:1000", seenBy: "PrivacyProcessTests"),
    Row("speed", "max", seenBy: "ReplayTests"),
    Row("strict", seenBy: "BadInputTests"), Row("subscribe", "mqtt://127.0.0.1:PORT", seenBy: "CollectProcessTests"),
  ]

  /// What stands on the command line only.
  static let commandLineOnly: [Row] = [
    Row("config", seenBy: "ConfigurationFileTests"), Row("timeout", seenBy: "LiveTests"),
    Row("bundle", seenBy: "ReportBundleTests"), Row("bundle-offset", seenBy: "ReportBundleTests"),
    Row("list", seenBy: "CollectProcessTests"), Row("output", seenBy: "TrackTests"),
    Row("split", seenBy: "TrackSplitTests"), Row("since", seenBy: "TrackTests"), Row("until", seenBy: "TrackTests"),
    Row("raw", seenBy: "RecordTests"),
    Row("help") { arguments, _ in
      let result = try await DaemonProcess.run(arguments)
      #expect(result.status == 0)
      #expect(result.output.contains("replay"))
    },
    Row("version") { arguments, _ in
      let result = try await DaemonProcess.run(arguments)
      #expect(result.output == "rxlocationd 0.2.0\n")
      #expect(result.status == 0)
    },
  ]

  /// A group other than the one that files get by themselves, where this process may choose one.
  private static let group: (name: String, identifier: Int) = {
    let identifier = geteuid() == 0 ? 1 : getegid()
    return (getgrgid(identifier).map { String(cString: $0.pointee.gr_name) } ?? "root", Int(identifier))
  }()

  static func flag(_ row: Row, _ place: Place) -> [String] {
    ["--" + row.flag] + (row.value.map { [place.value($0)] } ?? [])
  }

  /// The rows whose settings a file may hold, too.
  private static let lists: [[Row]] = [
    settings, ofPublishing, ofMap, ofRun, ofTrackReading, ofCollect, ofDatabase,
  ]
  static let inFiles = lists.flatMap { $0 }

  @Test(arguments: inFiles) func onTheCommandLineOverAFile(row: Row) async throws {
    let place = try Place()
    let file = try row.other.map { try place.file("\(row.flag) \($0)\n") }
    try await row.check(Self.flag(row, place) + (file ?? []), place)
  }

  @Test(arguments: inFiles + ofOtherSuites) func aLineOfAFileIsItsFlag(row: Row) throws {
    let value = try row.value.map(Place().value)
    let (line, flag) = value.map { (" \($0)", "=\($0)") } ?? ("", "")
    let file = try ConfigurationFile(parsing: row.flag + line, path: "rxlocationd.conf")
    #expect(file.lines.map(\.argument) == ["--" + row.flag + flag])
  }

  /// One of each list, since a line is its flag.
  @Test(arguments: lists.compactMap(\.first)) func inTheFileOfAProcess(row: Row) async throws {
    let place = try Place()
    try await row.check(place.file("# A setting.\n\(row.flag) \(row.value ?? "")\n"), place)
  }

  @Test(arguments: [commandLineOnly, ofFleetJournal].flatMap { $0 }) func forThePerson(row: Row) async throws {
    let place = try Place()
    try await row.check(Self.flag(row, place), place)
  }

  @Test(arguments: [false, true]) func ofTheDoctor(usesFile: Bool) async throws {
    let listener = try LoopbackSocket.listener()
    let address = "127.0.0.1:\(listener.port)"
    let place = try Place()
    let arguments =
      usesFile
      ? try place.file("gpsd \(address)\nregion-socket unix:/nowhere/s\nformat csv\nspeed 3\n")
      : ["--gpsd", address, "--region-socket", "unix:/nowhere/s"]
    let doctor = try DaemonProcess(["doctor", "--format", "json", "--timeout", "1"] + arguments)
    var client: LoopbackSocket?
    try await doctor.wait(for: "connection") {
      client = try? listener.accept(within: 0)
      return client != nil
    }
    let result = try await doctor.waitUntilExit()
    withExtendedLifetime((client, place)) {}
    #expect(result.status == 69)
    let findings = result.lines.compactMap { try? JSONDecoder().decode([String: String].self, from: Data($0.utf8)) }
    #expect(findings.count == result.lines.count)
    #expect(findings.contains { $0["step"] == "region socket" && $0["outcome"] == "failure" })
    #expect(findings.contains { $0["step"] == "gpsd" && $0["message"]?.contains("sent nothing") == true })
  }
}
