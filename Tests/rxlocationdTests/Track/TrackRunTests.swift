import ArgumentParser
import Foundation
import Journal
import LocationKit
import MapPage
import SystemPackage
import TestSupport
import Testing
import TrackDocuments
import Tracks

@testable import rxlocationd

@Suite(.inTurn) struct TrackRunTests {
  private let folder = TestSupport.TemporaryFolder()

  /// Fixes on the way to the north; those without a time have `nil`.
  private func track(_ times: [String?]) throws -> TrackInput {
    let lines = times.enumerated().map { number, time in
      let time = time.map { #""time":"2026-05-\#($0)Z","# } ?? ""
      return #"{"type":"location",\#(time)"latitude":\#(48 + 0.001 * Double(number)),"longitude":11}"# + "\n"
    }
    return .path(.init(try folder.write(lines.joined(), to: "x.ndjson")))
  }

  private func run(
    _ inputs: [TrackInput], _ arguments: [String], isDrawn: Bool = false, progress: TrackProgress = TrackProgress()
  ) throws -> TrackRun.Outcome {
    let command = try TrackCommand.parse(["x", "--format", "csv", "--output", folder.path("out.csv")] + arguments)
    return TrackRun(
      command.options, command.reading, inputs: inputs, name: "x", timeZone: .utc, progress: progress,
      progressLine: nil,
      isDrawn: isDrawn
    ).run()
  }

  /// The lines of a CSV document behind its header.
  private func rows(_ name: String) -> [Substring] {
    Array(contents(folder.path(name)).split(separator: "\n").dropFirst())
  }

  private let days = ["--split", "day", "--output"]

  @Test func aFixWithoutATimeIsOfTheDayBeforeIt() throws {
    let input = try track([nil, "06T12:00:00", nil, "07T12:00:00", nil, nil])
    _ = try run([input], days + [folder.path("{}.csv")])
    #expect(["undated.csv", "2026-05-06.csv", "2026-05-07.csv"].map { rows($0).count } == [1, 2, 3])
  }

  @Test func aDayThatComesAgainIsAnotherFile() throws {
    _ = try run([try track(["06T01:00:00", "07T02:00:00", "06T03:00:00"])], days + [folder.path("{}.csv")])
    let times = ["06", "07", "06-2"].map { rows("2026-05-\($0).csv").map { $0.prefix(13) } }
    #expect(times == [["2026-05-06T01"], ["2026-05-07T02"], ["2026-05-06T03"]])
  }

  /// The JSON documents of the 6th and the 7th.
  private func documents(_ input: TrackInput, _ arguments: [String] = []) throws -> [[String: Any]] {
    _ = try run([input], ["--format", "json"] + days + [folder.path("{}.json")] + arguments)
    return try ["06", "07"].map { day in
      let data = Data(contents(folder.path("2026-05-\(day).json")).utf8)
      return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }
  }

  @Test func eachDayCountsItsOwnJumps() throws {
    // A degree to the north and back on the first day only.
    let lines = (0..<6).map { hour in
      let latitude = hour == 1 ? 49.0 : 48.0 + 0.01 * Double(hour)
      let time = "2026-05-0\(hour < 3 ? 6 : 7)T0\(hour):00:00Z"
      return #"{"type":"location","time":"\#(time)","latitude":\#(latitude),"longitude":11}"# + "\n"
    }
    let input = TrackInput.path(.init(try folder.write(lines.joined(), to: "jump.ndjson")))
    #expect(try documents(input, ["--max-speed", "10"]).map { $0["jumps"] as? Int } == [1, 0])
  }

  /// A fix before and after each line that the daemon was killed in, a latitude of 95 among them.
  static let torn = """
    {"type":"location","time":"2026-05-06T12:00:00Z","latitude":48,"longitude":11}
    {"type":"location","time":"2026-05-06T12:00:0
    {"type":"location","time":"2026-05-06T12:00:10Z","latitude":48.001,"longitude":11}
    {"type":"location","time":"2026-05-06T12:00:15Z","latitude":95,"longitude":11}
    {"type":"location","time":"2026-05-07T12:00:20Z","latitude":48.002,"longitude":11}
    {"type":"location","ti
    """

  @Test func eachDaySaysItsOwnSkippedRecords() throws {
    let documents = try documents(.path(.init(try folder.write(Self.torn, to: "torn.ndjson"))))
    let counts = documents.map { ($0["skipped"] as? [[String: Any]] ?? []).compactMap { $0["count"] as? Int } }
    #expect(counts == [[1, 1], [1]])
  }

  @Test func aFixWithoutATimeIsInNoTime() throws {
    let input = try track([nil, "06T12:00:00", nil])
    #expect(try run([input], ["--since", "2026-05-06"]).fixes == 1)
    #expect(try run([input], ["--until", "2026-05-07"]).fixes == 1)
    #expect(try run([input], []).fixes == 3)
  }

  /// The inputs are read twice.
  @Test func whatIsWrongWithTripsIsSaidOnce() throws {
    let input = try track((10..<60).map { "06T12:00:\($0)" })
    let missing = TrackInput.path(.init(folder.path("missing.gpx")))
    let outcome = try run([missing, input], ["--split", "trip", "--output", folder.path("{}.csv")])
    #expect(outcome.errors.map(\.status) == [.noInput])
    #expect(outcome.documents == [folder.path("2026-05-06-1.csv")] && outcome.fixes == 50)
  }

  @Test func aPipeCannotBeReadForTrips() throws {
    let pipe = folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    // Nobody writes to it: whoever began to read would wait.
    let progress = TrackProgress()
    progress.cancel()
    let trips = ["--split", "trip", "--output", folder.path("{}.csv")]
    let outcome = try run([.path(.init(pipe))], trips, progress: progress)
    #expect(outcome.errors.map(\.message) == ["\(pipe) can be read only once; --split trip needs files"])
  }

  @Test func eachDocumentOfSeveralHasAName() throws {
    let input = try track(["06T12:00:00", "07T12:00:00"])
    #expect(try documents(input).map { $0["name"] as? String } == ["x, 2026-05-06", "x, 2026-05-07"])
  }

  /// The filter keeps a fix back until it has seen the next.
  @Test func theLastFixIsThereWithoutJumps() throws {
    let input = try track(["06T12:00:00", "06T12:10:00", "06T12:20:00", "06T12:20:01"])
    let outcome = try run([input], ["--max-speed", "10"], isDrawn: true)
    #expect(outcome.fixes == 3)
    let figures = try #require(outcome.recording?.figures)
    #expect(String(decoding: figures, as: UTF8.self).contains(#""jumps":1,"#))
    #expect(try run([try track(["06T12:00:00", "06T12:10:00"])], ["--max-speed", "10"]).fixes == 2)
  }

  /// Fixes at places north of each other, each held for a while and reached at once.
  @Test func stopsAndEndsAreOnThePage() throws {
    let lines = (0..<60).map { number in
      let latitude = 48 + (number / 20 == 1 ? 0.01 : 0) + 0.02 * Double(number / 40)
      return #"{"type":"location","time":"2026-05-06T12:\#(10 + number / 2):\#(number % 2 * 30 + 10)Z","#
        + #""latitude":\#(latitude),"longitude":11}"# + "\n"
    }
    let input = TrackInput.path(.init(try folder.write(lines.joined(), to: "stops.ndjson")))
    let recording = try run([input], ["--stop-after", "120"], isDrawn: true).recording
    #expect(recording?.stops.count == 3 && recording?.ends != nil)
  }

  @Test func aFolderIsNoPipe() throws {
    let trips = ["--split", "trip", "--output", folder.path("{}.csv")]
    #expect(try run([.path(.init(folder.path))], trips).errors.map(\.status) == [.noInput])
  }

  @Test func aGapIsInTheDocumentOfItsDay() throws {
    let first = try folder.write(
      #"{"type":"location","time":"2026-05-06T12:00:00Z","latitude":48,"longitude":11}"#, to: "first.ndjson")
    let arguments = ["--format", "json"] + days + [folder.path("{}.json")]
    _ = try run([.path(.init(first)), try track(["06T12:00:10", "06T12:00:20"])], arguments)
    let text = contents(folder.path("2026-05-06.json"))
    #expect(text.contains(#""fixes":3,"segments":2,"#), "\(text)")
  }

  @Test func aFixAtTheTimeItselfIsSinceAndNotUntil() throws {
    let input = try track(["06T12:00:00", "07T00:00:00"])
    #expect(try run([input], ["--since", "2026-05-07"]).fixes == 1)
    #expect(try run([input], ["--until", "2026-05-07"]).fixes == 1)
  }

  /// A journal of devices, each with a fix on the 6th of May 2026.
  private func journal(_ devices: String...) throws -> String {
    let path = folder.path("fleet.db")
    let journal = try DeviceJournalFile(path: path, limit: 1 << 24)
    try journal.commit(
      devices.map { device in
        let location = Location(of: device, at: Date(timeIntervalSince1970: 1_778_068_800))
        return DeviceRecord(.location(location), message: 1, received: Date())
      })
    return path
  }

  @Test func aDeviceThatIsNotThereIsNotOneThatSaidNothingThen() throws {
    let path = try journal("ann/car", "ben/boat")
    let listing = "as rxlocationd collect --list --journal \(path) shows them"
    for times in [[], ["--since", "2026-05-06"]] {
      let unknown = try run([], ["--journal", path, "--device", "nobody/x"] + times)
      #expect(
        unknown.errors.map(\.message) == ["journal \(path) has no device nobody/x; name one of its own, \(listing)"])
    }
    let later = try run([], ["--journal", path, "--device", "ann/car", "--since", "2026-05-07"])
    #expect(later.errors.map(\.message) == ["journal \(path) holds no fix of ann/car in that time"])
    #expect(try run([], ["--journal", path, "--device", "ann/car"]).fixes == 1)
  }

  @Test func theWaysOfSeveralDevicesAreNotOne() throws {
    let path = try journal("ann/car", "ben/boat")
    let outcome = try run([try track(["06T12:00:00"])], ["--journal", path])
    #expect(outcome.errors.map(\.status) == [.usage] && outcome.documents.isEmpty)
    let message = outcome.errors.first?.message ?? ""
    #expect(
      message.contains("has 2 devices") && message.contains("--device, as rxlocationd collect --list"), "\(message)")
  }

  @Test func aJournalOfOneDeviceNeedsNoName() throws {
    #expect(try run([], ["--journal", journal("ann/car")]).fixes == 1)
  }

  @Test func whatHoldsNothingAtAllHasNoTime() throws {
    #expect(try run([], ["--journal", journal()]).errors.map(\.message) == ["x: holds no fix"])
  }

  @Test func whatHoldsNoFixLeavesNoFileBehind() throws {
    let input = try track(["06T12:00:00"])
    #expect(try run([input], ["--since", "2027-01-01"]).errors.map(\.status) == [.dataError])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["x.ndjson"])
  }
}
