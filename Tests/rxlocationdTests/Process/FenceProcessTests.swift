import Foundation
import Journal
import TestSupport
import Testing

/// `--fences` and `--fence-state` of the running program.
@Suite(.startsPrograms) struct FenceProcessTests {
  private let folder = TemporaryFolder()
  private var inside: String { folder.path("inside") }

  /// The epochs of a receiver at a place, one a second from `start` on.
  private static func epochs(_ range: Range<Int>, at minutes: String) -> Data {
    let text = range.map { second in
      let time = "12" + [second / 60, second % 60].map { ($0 < 10 ? "0" : "") + "\($0)" }.joined()
      return NMEA.sentence("GPRMC,\(time).00,A,47\(minutes),N,00830.0000,E,0.1,,010225,,,A")
    }
    return Data(text.joined().utf8)
  }

  private static let home = "30.0000"
  private static let away = "40.0000"

  /// A square of about a kilometre around home.
  private func fences(_ names: String..., size: Double = 0.005) throws -> String {
    let (south, north, west, east) = (47.5 - size, 47.5 + size, 8.5 - size, 8.5 + size)
    let ring = "[[\(west),\(south)],[\(east),\(south)],[\(east),\(north)],[\(west),\(north)],[\(west),\(south)]]"
    let features = names.map {
      #"{"type":"Feature","id":"\#($0)","geometry":{"type":"Polygon","coordinates":[\#(ring)]},"properties":{}}"#
    }
    return try folder.write(
      #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#, to: "fences.geojson")
  }

  private func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: inside + "/" + name) }

  private func events(_ result: DaemonProcess.Result) -> [String?] {
    result.records("fence").map { $0["event"] as? String }
  }

  private func play(_ epochs: [Data], _ arguments: String...) async throws -> DaemonProcess.Result {
    let recording = folder.path("recording.nmea")
    try epochs.reduce(Data(), +).write(to: URL(filePath: recording))
    return try await DaemonProcess.run(["replay", recording, "--speed", "max"] + arguments)
  }

  @Test func aPolygonIsAFenceAcrossARestart() async throws {
    let (file, journal) = (try fences("yard"), folder.path("journal.db"))
    let first = try await play(
      [Self.epochs(0..<30, at: Self.away), Self.epochs(30..<90, at: Self.home)], "--fences", file, "--journal", journal)
    #expect(first.status == 0 && events(first) == ["enter"], "\(first.messages)")
    #expect(first.output.contains(#""fence":"yard""#))
    // It has left while the program did not run.
    let second = try await play([Self.epochs(100..<130, at: Self.away)], "--fences", file, "--journal", journal)
    #expect(events(second) == ["exit"])
    // Another shape of the name is another fence.
    _ = try fences("yard", size: 0.004)
    let third = try await play([Self.epochs(140..<200, at: Self.home)], "--fences", file, "--journal", journal)
    #expect(events(third) == [])
  }

  @Test func aBadFileIsRefusedWithItsPlace() async throws {
    let file = try folder.write(#"{"type":"FeatureCollection","features":[{}]}"#, to: "bad.geojson")
    let result = try await play([Self.epochs(0..<2, at: Self.home)], "--fences", file)
    #expect(result.status == 78 && result.output.isEmpty)
    #expect(result.messages.contains("\(file): feature 1: it has not the type Feature"), "\(result.messages)")
    let yard = try fences("yard")
    for (flags, words) in [
      (["--fences", folder.path("none")], "none: cannot be read"),
      (["--fences", yard, "--fence", "yard=1,2,50"], "fence 'yard' is given twice"),
      (
        ["--fences", yard, "--map", "127.0.0.1:0", "--map-privacy", "hide:home"],
        "there is no fence 'home'; the fences are yard"
      ),
    ] {
      let refusal = try #require(await Refusal(["replay", "-"] + flags))
      #expect(refusal.message.contains(words), "\(refusal)")
    }
    let slash = ["--fences", try fences("a/b"), "--fence-state", inside]
    let refusal = try #require(await Refusal(["replay", "-"] + slash))
    #expect(refusal.message.contains("the fence 'a/b' has no name for a file"), "\(refusal)")
  }

  /// A program whose receiver is at home, with a folder of states.
  private func start(_ arguments: [String]) throws -> DaemonProcess {
    let file = try fences("yard", "hidden")
    return try DaemonProcess(
      ["replay", "-", "--speed", "20", "--format", "none", "--fences", file, "--fence-state", inside] + arguments,
      keepsInputOpen: true)
  }

  @Test func filesFollowTheReceiver() async throws {
    let settings = try folder.write("stale-after 3600\n", to: "x.conf")
    let process = try start(["--config", settings])
    process.write(Self.epochs(0..<5, at: Self.home))
    try await process.wait(for: "both files") { has("yard") && has("hidden") }
    // A loss of the fix changes nothing, and a vanished folder comes back.
    process.feed(10..<14, hasFix: false)
    try FileManager.default.removeItem(atPath: inside)
    try await process.wait(for: "the files again") { has("yard") && has("hidden") }
    // A fence that is no longer in the file has no state.
    _ = try fences("yard")
    process.send(signal: SIGHUP)
    try await process.wait(for: "one file") { !has("hidden") }
    #expect(has("yard"))
    process.write(Self.epochs(20..<60, at: Self.away))
    try await process.wait(for: "no file") { !has("yard") }
    process.write(Self.epochs(60..<100, at: Self.home))
    try await process.wait(for: "the file") { has("yard") }
    try await process.terminate()
    #expect(try FileManager.default.contentsOfDirectory(atPath: inside).isEmpty)
  }

  @Test func aFenceThatThePolicyDoesNotTellHasNoFile() async throws {
    let process = try start(["--fence", "country=45,8.5,700000", "--fence-state-privacy", "hide:hidden"])
    // Far enough from home that the zone does not hide it.
    process.write(Self.epochs(0..<60, at: "00.0000") + Self.epochs(0..<2, at: Self.home))
    try await process.wait(for: "the file of the country") { has("country") }
    #expect(!has("hidden") && !has("yard"))
    try await process.terminate()
  }

  /// A journal keeps the states until a fix decides, and the files without one until the second fix.
  @Test(arguments: [false, true]) func aRestartKeepsWhatTheFixConfirms(hasJournal: Bool) async throws {
    let journal = folder.path("journal.db")
    let flags = hasJournal ? ["--journal", journal] : []
    let first = try start(flags)
    first.write(Self.epochs(0..<5, at: Self.home))
    try await first.wait(for: "both files") { has("yard") && has("hidden") }
    if hasJournal {
      try await first.wait(for: "the states in the journal") {
        (try? JournalReader(path: journal).fenceStates(after: 0))?.count == 2
      }
    }
    try await first.killAndWait()
    #expect(has("yard") && has("hidden"))
    let second = try start(["--fence", "x=47.5,8.5,100"] + flags)
    _ = try fences("yard")
    try await second.wait(for: "the start") { has("yard") }
    second.write(Self.epochs(20..<25, at: Self.away))
    try await second.wait(for: "no file", within: 20) { !has("yard") && !has("hidden") && !has("x") }
    try await second.terminate()
  }
}
