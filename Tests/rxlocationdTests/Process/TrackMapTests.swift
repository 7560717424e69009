import Foundation
import TestSupport
import Testing

/// `track --map` as a person and other programs than the page see it.
@Suite(.startsPrograms) struct TrackMapTests {
  private let recording = "Recordings/drive.nmea"

  private func get(_ path: String, _ port: UInt16) async throws -> String {
    let client = try Client.tcp(Int(port))
    client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return await client.rest().components(separatedBy: "\r\n\r\n").dropFirst().joined()
  }

  private func state(_ port: UInt16) async throws -> [String: Any] {
    try JSONSerialization.jsonObject(with: Data(try await get("/state.json", port).utf8)) as? [String: Any] ?? [:]
  }

  @Test(arguments: [SIGINT, SIGTERM]) func itIsServedUntilASignal(_ signal: Int32) async throws {
    let port = try LoopbackSocket.unusedPort()
    let process = try DaemonProcess([
      "track", recording, "--time-zone", "America/Los_Angeles", "--map", "127.0.0.1:\(port)",
    ])
    try await process.wait(for: "the page") { process.messages.contains("http://127.0.0.1:\(port)/ shows it") }
    // What is written without a page is written all the same, and is complete while the page is served.
    let alone = try await DaemonProcess.run(["track", recording, "--time-zone", "America/Los_Angeles"])
    #expect(process.output == alone.output)

    let state = try await state(port)
    #expect((state["source"] as? [String: String])?["kind"] == "track" && state["location"] == nil)
    let figures = state["summary"] as? [String: Any] ?? [:]
    #expect(figures["start"] as? String == "2026-05-06T23:54:00.000Z")
    #expect(figures["end"] as? String == "2026-05-07T00:05:59.000Z")
    #expect((figures["parts"] as? [[String: Any]])?.first?["type"] as? String == "trip")
    #expect((state["clock"] as? [[String: Any]])?.first?["name"] as? String == "PDT")
    let places = (state["places"] as? [[String: Any]] ?? []).map { "\($0["kind"] ?? "") \($0["name"] ?? "")" }
    #expect(places == ["start Start", "end End"])
    let trail = state["trail"] as? [Any] ?? []
    let start = (state["places"] as? [[String: Any]])?.first
    let place = ["latitude", "longitude"].map { start?[$0] as? Double }
    #expect((trail.first as? [Any])?.prefix(2).map { $0 as? Double } == place)
    #expect(trail.count > 400 && trail.filter { $0 is NSNull }.count == 1, "the tunnel is a gap")
    #expect(try await get("/trail.geojson", port).contains("2026-05-06T23:54:00"))

    process.send(signal: signal)
    #expect(try await process.waitUntilExit().status == 0)
  }

  /// What a person can click on, where it listens on every address.
  @Test func theAddressOfAllIsCalledLocalhost() async throws {
    let port = try LoopbackSocket.unusedPort()
    let process = try DaemonProcess(["track", recording, "--map", "*:\(port)"])
    try await process.wait(for: "the page") { process.messages.contains("http://localhost:\(port)/ shows it") }
    try await process.terminate()
  }

  @Test func thePortThatTheSystemChoosesIsSaid() async throws {
    let process = try DaemonProcess(["track", recording, "--map", "127.0.0.1:0"])
    try await process.wait(for: "the page") { process.messages.contains("shows it") }
    let port = try #require(process.messages.firstMatch(of: /127\.0\.0\.1:([0-9]+)\/ shows/)).output.1
    #expect(try await (state(UInt16(port) ?? 0)["source"] as? [String: String])?["kind"] == "track")
    try await process.terminate()
  }

  @Test func itHasTheNamesThatItIsGiven() async throws {
    let port = try LoopbackSocket.unusedPort()
    let process = try DaemonProcess(["track", recording, "--map", "127.0.0.1:\(port)", "--map-name", "gps.example"])
    try await process.wait(for: "the page") { process.messages.contains("shows it") }
    for (host, status) in [("gps.example", "200"), ("other.example", "421")] {
      let client = try Client.tcp(Int(port))
      client.send("GET /state.json HTTP/1.1\r\nHost: \(host)\r\n\r\n")
      #expect(await client.rest().hasPrefix("HTTP/1.1 \(status) "))
    }
    try await process.terminate()
  }

  @Test func tripsThatAreFilesAreShownOnce() async throws {
    let (port, folder) = (try LoopbackSocket.unusedPort(), try TemporaryFolder())
    let process = try DaemonProcess([
      "track", recording, "--split", "trip", "--stop-after", "20", "--format", "csv", "--output", folder.path("{}.csv"),
      "--map", "127.0.0.1:\(port)",
    ])
    try await process.wait(for: "the page") { process.messages.contains("shows it") }
    let figures = try await state(port)["summary"] as? [String: Any] ?? [:]
    #expect(figures["fixes"] as? Int == 704 && figures["segments"] as? Int == 2, "\(figures)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count > 1)
    try await process.terminate()
  }

  @Test func whatWasGoodIsShownAndTheStatusSaysThatNotAllWas() async throws {
    let port = try LoopbackSocket.unusedPort()
    let process = try DaemonProcess(["track", "missing.nmea", recording, "--map", "127.0.0.1:\(port)"])
    try await process.wait(for: "the page") { process.messages.contains("shows it") }
    #expect(process.messages.contains("missing.nmea"))
    process.send(signal: SIGINT)
    #expect(try await process.waitUntilExit().status == 66)
  }

  @Test func skippedRecordsAreSaidOnThePage() async throws {
    let (port, folder) = (try LoopbackSocket.unusedPort(), try TemporaryFolder())
    let good = #"{"type":"location","latitude":1,"longitude":2}"#
    let path = try folder.write([good, "torn", good].joined(separator: "\n"), to: "torn.ndjson")
    let process = try DaemonProcess([
      "track", path, "--split", "trip", "--format", "csv", "--output", folder.path("{}.csv"), "--map",
      "127.0.0.1:\(port)",
    ])
    try await process.wait(for: "the page") { process.messages.contains("shows it") }
    let figures = try await state(port)["summary"] as? [String: Any] ?? [:]
    let skipped = (figures["skipped"] as? [[String: Any]])?.first
    #expect(skipped?["kind"] as? String == "damaged" && skipped?["line"] as? Int == 2, "\(figures)")
    process.send(signal: SIGTERM)
    #expect(try await process.waitUntilExit().status == 65)
  }

  @Test func withNothingToShowItEnds() async throws {
    let result = try await DaemonProcess.run(["track", "missing.nmea", "--map", "127.0.0.1:0"])
    #expect(result.status == 66 && !result.messages.contains("shows it"))
  }

  @Test func anAddressInUseIsSaidBeforeAnythingIsRead() async throws {
    let listener = try LoopbackSocket.listener()
    let folder = try TemporaryFolder()
    let result = try await DaemonProcess.run([
      "track", recording, "--output", folder.path("drive.txt"), "--map", "127.0.0.1:\(listener.port)",
    ])
    #expect(result.status == 73)
    #expect(result.messages.contains("map page 127.0.0.1:\(listener.port) "), "\(result.messages)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func anInterruptWhileItIsReadEndsIt() async throws {
    let port = try LoopbackSocket.unusedPort()
    let process = try DaemonProcess(["track", "-", "--map", "127.0.0.1:\(port)"], keepsInputOpen: true)
    try await process.wait(for: "the page") {
      (try? await state(port)["source"] as? [String: String])?["message"] == "reading standard input"
    }
    process.write(try Data(contentsOf: Checkout.file(recording)))
    process.send(signal: SIGINT)
    let result = try await process.waitUntilExit()
    #expect(result.status == 130 && result.messages.contains("interrupted"), "\(result.messages)")
  }
}
