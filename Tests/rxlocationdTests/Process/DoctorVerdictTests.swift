import Foundation
import Glibc
import TestSupport
import Testing

@testable import Journal

/// What `doctor` says of settings is what `run` does with them.
@Suite(.startsProgramsForLong, .timeLimit(.minutes(30))) struct DoctorVerdictTests {
  /// FOLDER is an empty folder except for `text`, PORT a port that this process uses, FREE one that is free, HELD a journal that
  /// this process writes, and TAKEN a socket on which it listens.
  private static let rows = [
    "--map 127.0.0.1:PORT", "--map localhost:PORT", "--map *:PORT", "--metrics 127.0.0.1:PORT",
    "--region-socket tcp:127.0.0.1:PORT", "--nmea tcp:127.0.0.1:PORT", "--map 127.0.0.1:FREE --metrics 127.0.0.1:FREE",
    "--map localhost:FREE --metrics 127.0.0.1:FREE", "--map *:FREE --metrics 127.0.0.1:FREE",
    "--region-socket tcp:localhost:FREE --nmea tcp:[::1]:FREE", "--map 127.0.0.1:FREE --metrics 127.1:FREE",
    "--map 192.0.2.1:FREE", "--metrics no-such-host.invalid:1", "--map 127.0.0.1:FREE --map-assets FOLDER/none",
    "--map 127.0.0.1:FREE --map-tiles FOLDER/none.pmtiles", "--map 127.0.0.1:FREE --map-tiles FOLDER/text",
    "--map 127.0.0.1:FREE --map-tiles FOLDER", "--map 127.0.0.1:FREE --map-tiles FOLDER/a --map-assets FOLDER/b",
    "--map-name a", "--map 127.0.0.1:FREE --map-privacy hide:home",
    "--region-log /nowhere/log", "--region-log FOLDER", "--region-log FOLDER/text", "--region-log FOLDER/log",
    "--journal /nowhere/j", "--journal FOLDER", "--journal FOLDER/text", "--journal HELD", "--journal FOLDER/j",
    "--record /nowhere/r", "--record FOLDER", "--record FOLDER/text",
    "--record FOLDER/one --region-log FOLDER/one", "--journal FOLDER/one --record FOLDER/one",
    "--region-socket unix:/proc/s", "--region-socket unix:/nowhere/s", "--region-socket unix:FOLDER/text",
    "--nmea unix:TAKEN", "--region-socket unix:FOLDER/\(String(repeating: "s", count: 120))",
    "--region-socket unix:FOLDER/s --region-socket-group nobodys", "--region-socket pipe:x", "--publish-topic a/b",
    "--fence a=1,1,50 --fence a=1,2,50", "--config FOLDER/none", "--config FOLDER/text",
  ]

  /// The steps of doctor for the flags of outputs.
  private static let steps = [
    "--map": "map page", "--metrics": "metrics", "--region-socket": "region socket", "--nmea": "NMEA socket",
    "--region-log": "region log", "--journal": "journal", "--record": "record",
  ]

  @Test(arguments: rows) func verdict(row: String) async throws {
    let folder = TemporaryFolder()
    try folder.write("precious\n", to: "text")
    let (port, taken, held) = (try LoopbackSocket.listener(), folder.path("taken"), folder.path("held"))
    let socket = try row.contains("TAKEN") ? LoopbackSocket.unix(taken) : -1
    defer { if socket >= 0 { close(socket) } }
    let lock = try row.contains("HELD") ? JournalLock(path: held) : nil
    let words = row.replacing("FOLDER", with: folder.path).replacing("PORT", with: "\(port.port)")
      .replacing("FREE", with: "\(LoopbackSocket.unusedPort())").replacing("TAKEN", with: taken)
      .replacing("HELD", with: held)
    let flags = words.split(separator: " ").map(String.init) + ["--gpsd", "127.0.0.1:9"]

    let (refused, other) = (await Refusal(["doctor"] + flags), await Refusal(["run"] + flags))
    #expect(refused?.status == other?.status, "doctor: \(refused?.message ?? ""), run: \(other?.message ?? "")")
    guard refused == nil else { return }
    let failures = try await DoctorOutputTests.findings(flags).filter { $0["outcome"] == "failure" }
    let run = try DaemonProcess(["run"] + flags)
    try await run.wait(for: "its start or end") { !run.isRunning || run.messages.contains("; source 127.0.0.1:") }
    let isRunning = run.isRunning
    run.send(signal: SIGKILL)
    _ = try await run.waitUntilExit()
    withExtendedLifetime(lock) {}

    #expect(failures.isEmpty == isRunning, "run: \(isRunning), \(run.messages); doctor: \(failures)")
    #expect(failures.allSatisfy { $0["hint"] != nil }, "\(failures)")
    #expect(Set(failures.map { $0["step"] }).isSubset(of: flags.map { Self.steps[$0] }), "\(failures)")
    #expect(contents(folder.path("text")) == "precious\n")
  }

  @Test func eachFaultOfAMapIsFound() async throws {
    let flags = ["--map", "127.0.0.1:0", "--map-tiles", "/nowhere/a", "--map-assets", "/nowhere/b"]
    let messages = try await DoctorOutputTests.findings(flags).map { $0["message"] ?? "" }
    for words in ["map-tiles", "Leaflet is not in"] {
      #expect(messages.contains { $0.contains(words) }, "\(messages)")
    }
  }
}
