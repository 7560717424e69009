import Foundation
import TestSupport
import Testing

/// `track --map` as a person and other programs than the page see it.
@Suite(.startsPrograms) struct TrackMapTests {
  private let folder = TemporaryFolder()
  private let recording = "Recordings/drive.nmea"

  private let page: PageClient
  private var map: [String] { ["--map", "127.0.0.1:\(page.port)"] }

  init() throws { page = PageClient(port: LoopbackSocket.unusedPort()) }

  private func serve(_ arguments: [String]) async throws -> DaemonProcess {
    let process = try DaemonProcess(["track"] + arguments)
    try await process.wait(toSay: "shows it")
    return process
  }

  @Test func itIsServedUntilASignal() async throws {
    let arguments = [recording, "--time-zone", "America/Los_Angeles"]
    let process = try await serve(arguments + map)
    #expect(process.messages.contains("http://127.0.0.1:\(page.port)/ shows it"))
    // What is written without a page is written all the same, and is complete while the page is served.
    let alone = try await DaemonProcess.run(["track"] + arguments)
    #expect(process.output == alone.output)

    let state = try await page.object()
    #expect((state["source"] as? [String: String])?["kind"] == "track" && state["location"] == nil)
    let figures = state["summary"] as? [String: Any] ?? [:]
    #expect(figures["start"] as? String == "2026-05-06T23:54:00.000Z")
    #expect(figures["end"] as? String == "2026-05-07T00:05:59.000Z")
    #expect((figures["parts"] as? [[String: Any]])?.first?["type"] as? String == "trip")
    #expect((state["clock"] as? [[String: Any]])?.first?["name"] as? String == "PDT")
    let places = state["places"] as? [[String: Any]] ?? []
    #expect(places.map { "\($0["kind"] ?? "") \($0["name"] ?? "")" } == ["start Start", "end End"])
    let trail = state["trail"] as? [Any] ?? []
    let start = ["latitude", "longitude"].map { places.first?[$0] as? Double }
    #expect((trail.first as? [Any])?.prefix(2).map { $0 as? Double } == start)
    #expect(trail.count > 400 && trail.filter { $0 is NSNull }.count == 1, "the tunnel is a gap")
    #expect(try await page.get("/trail.geojson").contains("2026-05-06T23:54:00"))
    try await process.terminate()
  }

  /// What a person can click on, where it listens on every address.
  @Test func theAddressOfAllIsCalledLocalhostAndItHasTheNamesThatItIsGiven() async throws {
    let process = try await serve([recording, "--map", "*:\(page.port)", "--map-name", "gps.example"])
    #expect(process.messages.contains("http://localhost:\(page.port)/ shows it"))
    for (host, status) in [("gps.example", "200"), ("other.example", "421")] {
      #expect(try await page.ask("/state.json", host: host).hasPrefix("HTTP/1.1 \(status) "))
    }
    try await process.terminate()
  }

  @Test func thePortThatTheSystemChoosesIsSaid() async throws {
    let process = try await serve([recording, "--map", "127.0.0.1:0"])
    let port = try #require(process.messages.firstMatch(of: /127\.0\.0\.1:([0-9]+)\/ shows/)).output.1
    let state = try await PageClient(port: UInt16(port) ?? 0).object()
    #expect((state["source"] as? [String: String])?["kind"] == "track")
    try await process.terminate()
  }

  @Test func tripsThatAreFilesAreShownOnce() async throws {
    let trips = ["--split", "trip", "--stop-after", "20", "--format", "csv", "--output", folder.path("{}.csv")]
    let process = try await serve([recording] + trips + map)
    let figures = try await page.object()["summary"] as? [String: Any] ?? [:]
    #expect(figures["fixes"] as? Int == 704 && figures["segments"] as? Int == 2, "\(figures)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count > 1)
    try await process.terminate()
  }

  @Test func whatWasGoodIsShownAndTheStatusSaysThatNotAllWas() async throws {
    let process = try await serve(["missing.nmea", recording] + map)
    #expect(process.messages.contains("missing.nmea"))
    try await process.terminate(SIGINT, status: 66)
  }

  @Test func skippedRecordsAreSaidOnThePage() async throws {
    let good = #"{"type":"location","latitude":1,"longitude":2}"#
    let path = try folder.write([good, "torn", good].joined(separator: "\n"), to: "torn.ndjson")
    let trips = ["--split", "trip", "--format", "csv", "--output", folder.path("{}.csv")]
    let process = try await serve([path] + trips + map)
    let figures = try await page.object()["summary"] as? [String: Any] ?? [:]
    let skipped = (figures["skipped"] as? [[String: Any]])?.first
    #expect(skipped?["kind"] as? String == "damaged" && skipped?["line"] as? Int == 2, "\(figures)")
    try await process.terminate(status: 65)
  }

  @Test func withNothingToShowItEnds() async throws {
    let result = try await DaemonProcess.run(["track", "missing.nmea", "--map", "127.0.0.1:0"])
    #expect(result.status == 66 && !result.messages.contains("shows it"))
  }

  @Test func anAddressInUseIsSaidBeforeAnythingIsRead() async throws {
    let listener = try LoopbackSocket.listener()
    let address = "127.0.0.1:\(listener.port)"
    try await DaemonProcess.run(
      ["track", recording, "--output", folder.path("drive.txt"), "--map", address], status: 73,
      saying: "map page \(address) ")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test func anInterruptWhileItIsReadEndsIt() async throws {
    let process = try DaemonProcess(["track", "-"] + map, keepsInputOpen: true)
    try await process.wait(for: "the page") {
      (try? await page.object()["source"] as? [String: String])?["message"] == "reading standard input"
    }
    process.write(try Checkout.text(recording))
    try await process.terminate(SIGINT, status: 130, saying: "interrupted")
  }
}
