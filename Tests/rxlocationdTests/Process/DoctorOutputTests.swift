import ArgumentParser
import Foundation
import Glibc
import Writing
import Testing
import TestSupport

@testable import Journal
@testable import rxlocationd

/// What `doctor` says of the outputs: it opens them as the daemon would, and leaves everything as it was.
@Suite(.startsPrograms) struct DoctorOutputTests {
  private let folder = TestSupport.TemporaryFolder()

  /// What it says of the outputs.
  @MainActor
  static func findings(_ arguments: [String]) async throws -> [[String: String]] {
    let command = try DoctorCommand.parse(arguments)
    var trial = OutputTrial(
      sockets: command.sockets, outputs: command.outputs, record: command.record, map: command.map,
      unit: "rxlocationd.service")
    return try await trial.run().map { try JSONDecoder().decode([String: String].self, from: Data($0.json.utf8)) }
  }

  /// What it says, while everything stays as it was.
  private func findings(_ arguments: [String]) async throws -> [[String: String]] {
    let before = try state()
    let found = try await Self.findings(arguments)
    #expect(try state() == before)
    return found
  }

  /// The folder's files and what they hold; sockets hold nothing.
  private func state() throws -> [String: Data?] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return Dictionary(uniqueKeysWithValues: names.map { ($0, FileManager.default.contents(atPath: folder.path($0))) })
  }

  private func journal() async throws -> String {
    let journal = folder.path("j")
    #expect(try await FlagTests.replay(["--journal", journal, "--format", "none"]).status == 0)
    return journal
  }

  @Test func whatCanBeOpenedIsLeftBehindNowhere() async throws {
    let found = try await findings([
      "--region-socket", "unix:\(folder.path("s"))", "--region-socket-mode", "600", "--region-socket",
      "tcp:127.0.0.1:0",
      "--region-log", folder.path("log"), "--journal", folder.path("j"), "--record", folder.path("r"), "--metrics",
      "127.0.0.1:0",
      "--map", "127.0.0.1:0", "--map-assets", Checkout.file("Sources").path,
    ])
    #expect(
      found.prefix(7).map { $0["step"] } == [
        "region socket", "region socket", "journal", "region log", "record", "metrics", "map page",
      ])
    for finding in found.prefix(7) { #expect(finding["outcome"] == "ok", "\(finding)") }
    // There is no Leaflet in that folder.
    #expect(found.contains { $0["step"] == "map page" && $0["outcome"] == "warning" })
  }

  @Test("rows that the limit has removed are counted")
  func prunedJournal() async throws {
    let journal = try await journal()
    try Connection(path: journal).execute(
      "DELETE FROM locations WHERE sequence <= 100; DELETE FROM events WHERE sequence <= 100")
    let found = try await findings(["--journal", journal])
    let words = "j can be written; its limit has removed the oldest 100 rows; it begins at 2026-05-06T23:5"
    #expect(found.first?["message"]?.contains(words) == true, "\(found)")
  }

  @Test(arguments: [("660", "the group daemon"), ("600", "root"), ("666", "every user of this host")])
  func itSaysWhoMayUseTheLocationService(mode: String, users: String) async throws {
    let found = try await findings([
      "--location-socket", "unix:\(folder.path("s"))", "--region-socket-mode", mode, "--region-socket-group", "1",
    ])
    #expect(found.map { $0["step"] } == ["location socket", "location service"])
    let words = try #require(found.last?["message"])
    #expect(words.hasPrefix("\(folder.path("s")) may be used by "))
    if geteuid() == 0 { #expect(words.hasSuffix(users), "\(words)") }
  }

  @Test func anEmptyFileCanBecomeAJournal() async throws {
    let path = try folder.write("", to: "j")
    #expect(try await findings(["--journal", path]).map { $0["outcome"] } == ["ok"])
  }

  @Test func whatIsThereStaysAsItWas() async throws {
    let (log, journal, socket) = (folder.path("log"), folder.path("j"), folder.path("s"))
    #expect(try await FlagTests.replay(["--region-log", log, "--journal", journal, "--format", "none"]).status == 0)
    // A record that a crash tore; the daemon cuts it off.
    let handle = try #require(FileHandle(forWritingAtPath: log))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(#"{"type":"region","ti"#.utf8))
    try handle.close()
    let first = try DaemonProcess(["--gpsd", "127.0.0.1:9", "--region-socket", "unix:\(socket)"])
    try await first.wait(for: "the socket") { FileManager.default.fileExists(atPath: socket) }
    try await first.killAndWait()
    let found = try await findings([
      "--region-log", log, "--journal", journal, "--region-socket", "unix:\(socket)",
    ])
    #expect(found.map { $0["outcome"] } == ["ok", "ok", "ok"], "\(found)")
    #expect(found.first?["message"]?.contains("in place of a socket without a listener") == true)
  }

  enum Fault: CaseIterable { case damagedPage, view, trigger, lackingTables }

  @Test(
    "a journal that run refuses is a failure with the same words, and one that run repairs is fine",
    arguments: Fault.allCases)
  func faultyJournal(fault: Fault) async throws {
    let journal = try await journal()
    switch fault {
    case .damagedPage:
      let page = try Connection(path: journal).integer("SELECT rootpage FROM sqlite_schema WHERE name = 'locations'")
      let file = try #require(FileHandle(forUpdatingAtPath: journal))
      try file.seek(toOffset: UInt64(try #require(page) - 1) * 4096)
      try file.write(contentsOf: Data(repeating: 0x55, count: 4096))
      try file.close()
    case .view:
      try Connection(path: journal).execute(
        "ALTER TABLE locations RENAME TO old; CREATE VIEW locations AS SELECT * FROM old")
    case .trigger:
      try Connection(path: journal).execute(
        "CREATE TRIGGER t BEFORE INSERT ON locations BEGIN SELECT RAISE(ABORT, 'the trigger refuses'); END")
    case .lackingTables:
      try Connection(path: journal).execute(
        "DROP TABLE events; DROP VIEW trail; ALTER TABLE locations DROP COLUMN dgpsAge")
    }
    let isRepaired = fault == .lackingTables
    let found = try await findings(["--journal", journal])
    #expect(found.map { $0["outcome"] } == [isRepaired ? "ok" : "failure"], "\(found)")
    let run = try await FlagTests.replay(["--journal", journal, "--format", "none"])
    let words = isRepaired ? "lacked events, trail, which is created again" : try #require(found.first?["message"])
    #expect((run.status == 0) == isRepaired && run.messages.contains(words), "\(words), \(run.messages)")
  }

  @Test("a full disk is a failure", .mounts)
  func fullDisk() async throws {
    let disk = try SmallDisk("64k")
    let (log, record) = (disk.path + "/log", disk.path + "/record")
    for path in [log, record] { _ = FileManager.default.createFile(atPath: path, contents: nil) }
    try disk.fill()
    let found = try await findings(["--region-log", log, "--record", record])
    #expect(found.map { $0["outcome"] } == ["failure", "failure"], "\(found)")
    for finding in found { #expect(finding["message"]?.hasSuffix("No space left on device") == true, "\(finding)") }
  }

  /// The daemon itself, as a rule. It may write meanwhile.
  @Test func whatIsInUseIsNotChecked() async throws {
    let port = LoopbackSocket.unusedPort()
    let outputs = [
      "--region-socket", "unix:\(folder.path("s"))", "--journal", folder.path("j"), "--region-log", folder.path("log"),
      "--metrics", "127.0.0.1:\(port)",
    ]
    let daemon = try DaemonProcess(["--gpsd", "127.0.0.1:9"] + outputs)
    try await daemon.wait(for: "its metrics") { (try? LoopbackSocket.client(port: port)) != nil }
    let found = try await Self.findings(outputs)
    #expect(found.map { $0["step"] } == ["region socket", "journal", "region log", "metrics"])
    #expect(found.map { $0["outcome"] } == ["warning", "warning", "ok", "warning"], "\(found)")
    #expect(found.count { $0["message"]?.contains("not checked") == true } == 3)
    #expect(found.last?["message"]?.hasSuffix("(process \(daemon.identifier)) uses it already") == true, "\(found)")
    try await daemon.terminate()
  }

  @Test func anAddressBeyondLoopbackIsAWarning() async throws {
    let found = try await findings(["--region-socket", "tcp:*:0"])
    #expect(found.map { $0["outcome"] } == ["warning"])
    #expect(found.first?["message"]?.contains("other machines can reach it") == true)
  }

  @Test func nobodyReadsAnyMore() async throws {
    let result = try await DaemonProcess.bash(
      "$B doctor --gpsd 127.0.0.1:9 --timeout 0.1 | :; echo ${PIPESTATUS[0]}")
    #expect(result.lines == ["69"] && result.messages.isEmpty, "\(result.messages)")
  }
}
