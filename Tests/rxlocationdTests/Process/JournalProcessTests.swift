import Foundation
import LocationKit
import Writing
import TestSupport
import Testing

@testable import Journal

@Suite(.startsPrograms) struct JournalProcessTests {
  private let folder = TestSupport.TemporaryFolder()
  private var journal: String { folder.path("journal.db") }

  @discardableResult
  private func replay(
    _ epochs: Range<Int>, _ arguments: [String] = [], status: Int32 = 0
  ) async throws -> DaemonProcess.Result {
    let replay = ["replay", try folder.recording(epochs), "--speed", "max", "--journal", journal]
    return try await DaemonProcess.run(replay + arguments, status: status)
  }

  @Test func holdsWhatStandardOutputSaid() async throws {
    let arguments = [
      "replay", "Recordings/drive.nmea", "--speed", "max", "--journal", journal, "--fence", "a=37.77715,-122.3985,400",
    ]
    let result = try await DaemonProcess.run(arguments, status: 0)
    let reader = try JournalReader(path: journal, name: "test", startingAt: .oldest)
    let entries = try reader.entries(after: 0, limit: 10_000)
    #expect(entries.count == result.lines.count)
    for (entry, line) in zip(entries, result.lines) {
      let record = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      switch entry.record {
      case .location(let location):
        #expect(record["type"] as? String == "location")
        #expect(abs((record["latitude"] as? Double ?? 0) - location.coordinate.latitude) < 1e-9)
        #expect(record["source"] as? String == location.sourceInformation?.device)
      case .crossing(let crossing):
        #expect(record["type"] as? String == "fence")
        #expect(record["event"] as? String == (crossing.state == .inside ? "enter" : "exit"))
        #expect(record["fence"] as? String == crossing.region.identifier)
      case .error(let error, let time):
        #expect(record["code"] as? String == error.code.rawValue)
        #expect(time != nil)
      }
    }
    // Once more with the same journal: the same, because a recording is no later than itself.
    let again = try await DaemonProcess.run(arguments)
    #expect(again.output == result.output)
  }

  @Test func isATrackThatCanBeRead() async throws {
    try await replay(0..<60)
    let whole = try await DaemonProcess.run(["track", "--journal", journal, "--format", "csv"])
    #expect(whole.status == 0 && whole.messages.isEmpty)
    let recorded = try await DaemonProcess.run(["track", folder.path("0.nmea"), "--format", "csv"])
    // What was replayed says so.
    #expect(whole.lines.count == 61)
    #expect(whole.output == recorded.output.replacing(",0.nmea,false,", with: ",0.nmea,true,"))
    let times = whole.lines.dropFirst().map { $0.prefix { $0 != "," } }
    let part = try await DaemonProcess.run(
      ["track", "--journal", journal, "--format", "csv", "--since", "\(times[20])", "--until", "\(times[30])"])
    #expect(part.lines.dropFirst().elementsEqual(whole.lines[21...30]))
    try await DaemonProcess.run(["track", "--journal", folder.path("none.db")], status: 66, saying: "none.db")
    #expect(!FileManager.default.fileExists(atPath: folder.path("none.db")))
  }

  @Test func behindFilesItIsAnotherPieceOfTheTrack() async throws {
    try await replay(30..<60)
    let both = try await DaemonProcess.run([
      "track", try folder.recording(0..<30), "--journal", journal, "--format", "json",
    ])
    #expect(both.output.contains(#""name":"0.nmea, journal.db","fixes":60,"segments":2,"#), "\(both.output)")
  }

  @Test(.enabled(if: sqlite != nil, "sqlite3 is not installed")) func sqlite3ReadsItMeanwhile() async throws {
    let process = try DaemonProcess(["replay", "-", "--journal", journal], keepsInputOpen: true)
    process.feed(0..<3)
    let shell = try #require(Self.sqlite)
    var answer = ""
    #expect(
      await eventually {
        answer =
          (try? await DaemonProcess(shell, [journal, "SELECT time, mode FROM trail"]).waitUntilExit().output) ?? ""
        return answer.split(separator: "\n").count >= 2
      })
    #expect(answer.hasPrefix("2025-02-01T12:00:00.000Z|3\n2025-02-01T12:00:01.000Z|3\n"))
    try await process.terminate()
    // At the end everything is in the one file.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["journal.db"])
  }

  private static let sqlite = ["/usr/bin/sqlite3", "/usr/local/bin/sqlite3"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  @Test func losesNothingThatWasCommittedToSIGKILL() async throws {
    let recording = try folder.recording(0..<30_000)
    for turn in 0..<(runsLongTests ? 50 : 2) {
      let journal = folder.path("journal\(turn).db")
      let process = try DaemonProcess(["replay", recording, "--speed", "max", "--loop", "--journal", journal])
      var reader: JournalReader?
      let enough = Int64(100 + turn * 977 % 12_000)
      try await process.wait(for: "rows") {
        if reader == nil { reader = try? JournalReader(path: journal, name: "test", startingAt: .oldest) }
        return (try? reader?.newestSequence()) ?? 0 >= enough
      }
      let committed = try #require(reader).entries(after: 0, limit: .max)
      try await process.killAndWait()
      #expect(try integrity(of: journal) == "ok")
      let kept = try JournalReader(path: journal, name: "after", startingAt: .oldest).entries(after: 0, limit: .max)
      #expect(kept.count >= committed.count && Array(kept.prefix(committed.count)) == committed)
      #expect(kept.map(\.sequence) == Array(1...Int64(kept.count)))
      #expect(try await FlagTests.replay(["--journal", journal, "--format", "none"]).status == 0)
      #expect(try integrity(of: journal) == "ok")
      #expect(try JournalReader(path: journal, name: "next").cursor == Int64(kept.count + 705))
    }
  }

  /// What `PRAGMA integrity_check` says.
  private func integrity(of path: String) throws -> String {
    try Connection(path: path).prepare("PRAGMA integrity_check").first { $0.text(0) } ?? ""
  }

  @Test func aRestartInsideAFenceEntersItNotAgain() async throws {
    // A kilometre around the start; the drive leaves it for good later.
    let fence = ["--fence", "a=51.1667,-0.125,1000"]
    func crossings(_ epochs: Range<Int>, _ fence: [String] = fence) async throws -> [String?] {
      try await replay(epochs, fence).records("fence").map { $0["event"] as? String }
    }
    #expect(try await crossings(0..<100) == [])
    // What the map page's trail, the table of fences and `track` have of a stop is the last fix.
    let confirmed = "SELECT count(*) FROM fences WHERE time = (SELECT max(time) FROM locations)"
    #expect(try Connection(path: journal).integer(confirmed) == 1)
    #expect(try await crossings(100..<200) == [])
    // It was inside when it went down, and starts outside.
    #expect(try await crossings(20_000..<20_002) == ["exit"])
    #expect(try await crossings(20_002..<20_004) == [])
    // Another circle of that name is another fence.
    #expect(try await crossings(20_004..<20_006, ["--fence", "a=51.1667,-0.125,1001"]) == [])
    // Without a fence nothing is remembered of it.
    _ = try await crossings(20_006..<20_008, [])
    #expect(try JournalWriter(path: journal, limit: 1 << 20, mode: .live).fences.isEmpty)
  }

  @Test func refusesAFileOfSomebodyElse() async throws {
    let path = try folder.write("mine\n", to: "notes.txt")
    let result = try await DaemonProcess.run(
      ["replay", "Recordings/drive.nmea", "--speed", "max", "--journal", path], status: 65,
      saying: "\(path) is not an SQLite database")
    #expect(result.output.isEmpty)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine\n")
  }

  @Test(.mounts) func aReplayWhoseDiskIsFullEndsWith74() async throws {
    let disk = try SmallDisk("128k")
    let path = disk.path + "/journal.db"
    let result = try await DaemonProcess.run(
      ["replay", "Recordings/drive.nmea", "--speed", "max", "--journal", path], status: 74,
      saying: "journal \(path) cannot be written: no space is left on its disk")
    #expect(result.messages.contains(" records were not kept"))
  }

  @Test(.enabled(if: sqlite != nil, "sqlite3 is not installed"), arguments: [false, true])
  func aReplayWaitsForAnotherProgramsTransaction(isStopped: Bool) async throws {
    try await replay(0..<3)
    let holder = try DaemonProcess(try #require(Self.sqlite), [journal], keepsInputOpen: true)
    holder.write(Data("BEGIN IMMEDIATE;\n.print holds\n".utf8))
    try await holder.wait(for: "the lock") { holder.output.contains("holds") }
    let process = try DaemonProcess(
      ["replay", try folder.recording(3..<10), "--speed", "max", "--format", "none", "--journal", journal])
    let reason = "is locked by another program"
    try await process.wait(toSay: reason)
    if isStopped { try await process.terminate(status: 74, saying: "7 of 7 records were not kept") }
    holder.write(Data("ROLLBACK;\n.quit\n".utf8))
    _ = try await holder.waitUntilExit()
    guard !isStopped else { return }
    let result = try await process.waitUntilExit()
    #expect(result.status == 0 && result.messages.contains("nothing was lost"), "\(result.messages)")
    #expect(result.messages.components(separatedBy: reason).count == 2)
    #expect(try JournalReader(path: journal).newestSequence() == 10)
  }

  /// A process may not write further than that: SQLite calls it an error of the disk.
  @Test func aLimitOfFilesSizesIsNamed() async throws {
    let path = try folder.recording(0..<3000)
    try await DaemonProcess.bash(
      "ulimit -f 200; exec $B replay \(path) --speed max --format none --journal \(journal)", status: 74,
      saying: "has reached the size that a file may have here")
  }

  @Test func refusesAJournalOfAnotherDaemon() async throws {
    let first = try DaemonProcess(["replay", "-", "--journal", journal], keepsInputOpen: true)
    try await first.wait(for: "the journal") { FileManager.default.fileExists(atPath: journal + "-shm") }
    // By another name, too.
    let (symbolic, hard) = (folder.path("symbolic.db"), folder.path("hard.db"))
    #expect(symlink(journal, symbolic) == 0 && link(journal, hard) == 0)
    for name in [symbolic, hard, journal] {
      let words = "is written by another process already; end that one"
      try await DaemonProcess.run(
        ["replay", "Recordings/drive.nmea", "--format", "none", "--journal", name], status: 73, saying: words)
    }
    // Readers are not concerned.
    first.feed(0..<3)
    try await first.wait(for: "rows") { (try? JournalReader(path: journal).newestSequence()) ?? 0 >= 2 }
    let track = try await DaemonProcess.run(["track", "--journal", symbolic, "--format", "csv"])
    #expect(track.status == 0 && track.lines.count >= 3, "\(track.messages)")
    let result = try await first.terminate()
    #expect(!result.messages.contains("lost"), "\(result.messages)")
  }

  @Test func aJournalWithoutRoomForANumberIsRefused() async throws {
    try await replay(0..<3)
    let connection = try Connection(path: journal)
    _ = try connection.integer("UPDATE locations SET sequence = \(Int64.max) WHERE sequence = 3 RETURNING sequence")
    let result = try await replay(3..<6, status: 65)
    #expect(result.messages.contains("behind which no row can be numbered"), "\(result.messages)")
    let track = try await DaemonProcess.run(["track", "--journal", journal, "--format", "csv"])
    #expect(track.status == 0 && track.lines.count == 4, "\(track.messages)")
  }

  @Test func fixesWithoutATimeAreKeptAndCounted() async throws {
    let path = try folder.write((0..<5).map { NMEA.undated($0) }.joined(), to: "undated.nmea")
    let result = try await DaemonProcess.run(
      ["replay", path, "--speed", "max", "--format", "none", "--journal", journal], status: 0)
    let words = /warning: journal .*: 5 records have no time, or one outside/
    #expect(result.messages.contains(words), "\(result.messages)")
    #expect(try JournalReader(path: journal).entries(after: 0, limit: 9).count == 5)
  }
}
