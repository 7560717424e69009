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

/// What `track` takes of its inputs, and what it writes.
@Suite struct TrackRunTests {
  private let folder: TestSupport.TemporaryFolder

  init() throws { folder = try TestSupport.TemporaryFolder() }

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

  private func lines(_ name: String) throws -> Int {
    try String(contentsOfFile: folder.path(name), encoding: .utf8).split(separator: "\n").count - 1
  }

  @Test func aFixWithoutATimeIsOfTheDayBeforeIt() throws {
    let input = try track([nil, "06T12:00:00", nil, "07T12:00:00", nil, nil])
    _ = try run([input], ["--split", "day", "--output", folder.path("{}.csv")])
    let counts = try ["undated.csv", "2026-05-06.csv", "2026-05-07.csv"].map(lines)
    #expect(counts == [1, 2, 3])
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
    _ = try run([input], ["--format", "json", "--split", "day", "--output", folder.path("{}.json")])
    let text = try String(contentsOfFile: folder.path("2026-05-07.json"), encoding: .utf8)
    #expect(text.contains(#""name":"x, 2026-05-07","#), "\(text)")
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
    let arguments = ["--format", "json", "--split", "day", "--output", folder.path("{}.json")]
    _ = try run([.path(.init(first)), try track(["06T12:00:10", "06T12:00:20"])], arguments)
    let text = try String(contentsOfFile: folder.path("2026-05-06.json"), encoding: .utf8)
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
        let location = Location(
          coordinate: LocationCoordinate2D(latitude: 48, longitude: 11),
          timestamp: Date(timeIntervalSince1970: 1_778_068_800),
          sourceInformation: LocationSourceInformation(deviceIdentifier: device))
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
