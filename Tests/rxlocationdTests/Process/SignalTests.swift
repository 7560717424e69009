import Foundation
import Testing

/// What signals do to a running daemon.
@Suite struct SignalTests {
  private let recording = "Recordings/drive.nmea"

  @Test func hangupReadsTheSettingsAgainAndKeepsReaders() async throws {
    let folder = try TemporaryFolder()
    let log = folder.path("regions")
    let settings = try folder.write("span = 1000\nregion-log = \"\(log)\"\n", to: "x.toml")
    let socket = folder.path("socket")
    let process = try DaemonProcess([
      "replay", recording, "--speed", "20", "--config", settings, "--region-socket", "unix:\(socket)",
    ])
    let reader = try await SocketReader(unix: socket, patience: 30)
    let narrow = try await reader.lines(atLeast: 5, within: 30)

    try FileManager.default.moveItem(atPath: log, toPath: log + ".1")
    _ = try folder.write("span = 2000\nregion-log = \"\(log)\"\n", to: "x.toml")
    process.send(signal: SIGHUP)
    try await process.wait(for: "the reload") { process.messages.contains("reloaded") }
    try await process.wait(for: "a new log") { (try? Data(contentsOf: URL(fileURLWithPath: log)))?.isEmpty == false }
    let both = try await reader.lines(atLeast: narrow.count + 20, within: 30)
    #expect(span(both[0]) < 0.6 * span(both[both.count - 1]))

    // A wrong file changes nothing, and is told.
    _ = try folder.write("span = \"wide\"\n", to: "x.toml")
    process.send(signal: SIGHUP)
    try await process.wait(for: "a complaint") { process.messages.contains("x.toml:1: 'span'") }
    let count = both.count
    let after = try await reader.lines(atLeast: count + 5, within: 30)
    #expect(span(after[after.count - 1]) > 1.5 * span(narrow[0]))
    process.send(signal: SIGTERM)
    #expect(try await process.waitUntilExit().status == 0)
  }

  private func span(_ line: String) -> Double {
    let record = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    return (record?["span"] as? [String: Double])?["latitudeDelta"] ?? .nan
  }

  @Test func hangupTakesFencesOver() async throws {
    let folder = try TemporaryFolder()
    let settings = try folder.write("", to: "x.toml")
    let process = try DaemonProcess([
      "replay", recording, "--speed", "40", "--loop", "--config", settings, "--log-level", "debug",
    ])
    try await process.wait(for: "locations") { process.output.split(separator: "\n").count > 20 }
    _ = try folder.write("[[fence]]\nid = \"a\"\nlatitude = 200\nlongitude = 0\nradius = 5\n", to: "x.toml")
    process.send(signal: SIGHUP)
    try await process.wait(for: "a complaint") { process.messages.contains("x.toml:1: fence 'a'") }
    _ = try folder.write(
      "[[fence]]\nid = \"a\"\nlatitude = 37.7859\nlongitude = -122.4037\nradius = 300\n", to: "x.toml")
    process.send(signal: SIGHUP)
    try await process.wait(for: "the reload") { process.messages.contains("reloaded") }
    try await process.wait(for: "a crossing", within: 60) { process.output.contains(#""type":"fence""#) }
    process.send(signal: SIGTERM)
    #expect(try await process.waitUntilExit().status == 0)
  }

  @Test func userSignalPrintsTheState() async throws {
    let process = try DaemonProcess(["replay", recording, "--speed", "20"])
    try await process.wait(for: "locations") { process.output.split(separator: "\n").count > 5 }
    process.send(signal: SIGUSR1)
    try await process.wait(for: "the state") { process.messages.contains("3D fix, ±") }
    #expect(process.messages.contains("satellites; "))
    process.send(signal: SIGINT)
    #expect(try await process.waitUntilExit().status == 0)
  }

  @Test func terminationWritesOutWhatWasReceived() async throws {
    let folder = try TemporaryFolder()
    let log = folder.path("regions")
    let process = try DaemonProcess(["replay", recording, "--speed", "100", "--region-log", log])
    try await process.wait(for: "locations") { process.output.split(separator: "\n").count > 50 }
    process.send(signal: SIGTERM)
    let result = try await process.waitUntilExit()
    #expect(result.status == 0)
    #expect(result.output.hasSuffix("}\n"))
    let locations = result.lines.count { $0.contains(#""type":"location""#) }
    let regions = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").count
    #expect(locations == regions)
  }
}
