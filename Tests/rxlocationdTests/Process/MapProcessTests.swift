import Foundation
import TestSupport
import Testing

/// `--map` as other programs than the page see it.
@Suite(.startsPrograms) struct MapProcessTests {
  private let folder = TemporaryFolder()
  private let page = PageClient(port: LoopbackSocket.unusedPort())
  private var map: [String] { ["--map", "127.0.0.1:\(page.port)"] }

  /// What the page knows; empty while it is not served.
  private func state() async -> [String: Any] { (try? await page.object()) ?? [:] }

  @Test func aRestartedDaemonShowsTheTrailOfItsJournalAndSaysThatThereIsNoGPSD() async throws {
    let journal = folder.path("journal.db")
    #expect(try await FlagTests.replay(["--format", "none", "--journal", journal]).status == 0)
    let gpsd = LoopbackSocket.unusedPort()
    let process = try DaemonProcess(["run", "--gpsd", "127.0.0.1:\(gpsd)", "--journal", journal] + map)
    var state: [String: Any] = [:]
    try await process.wait(for: "the trail, and a failed try to connect") {
      state = await self.state()
      let message = (state["source"] as? [String: String])?["message"] ?? ""
      return (state["trail"] as? [Any])?.count ?? 0 > 300 && message.hasPrefix("no gpsd at 127.0.0.1:\(gpsd): ")
    }
    let breaks = (state["trail"] as? [Any] ?? []).count { $0 is NSNull }
    #expect(breaks == 1, "the tunnel is a gap")
    let source = state["source"] as? [String: String]
    #expect(source?["status"] == "waiting")
    #expect(state["fix"] as? String == "none" && state["age"] == nil && state["location"] == nil)
    let trail = try await page.get("/trail.geojson?since=2026-05-07T00:00:00Z")
    #expect(trail.contains("2026-05-07T00:0") && !trail.contains("2026-05-06"))
    #expect(try await page.get("/trail.geojson?since=yesterday").contains("expected a time"))

    // Of the drive what came before midnight, by a clock in Berlin.
    let day = "since=2026-05-06T00:00:00Z&until=2026-05-07T00:00:00Z&offset=7200"
    let midnight = try await page.get("/history.json?\(day)")
    let past = try JSONSerialization.jsonObject(with: Data(midnight.utf8)) as? [String: Any] ?? [:]
    let times = (past["trail"] as? [Any] ?? []).compactMap { ($0 as? [Any])?[3] as? Double }
    #expect(times.first == 1_778_111_640 && times.last ?? .infinity < 1_778_112_000)
    let figures = past["summary"] as? [String: Any] ?? [:]
    #expect(figures["start"] as? String == "2026-05-06T23:54:00.000Z")
    #expect((figures["parts"] as? [[String: Any]])?.first?["type"] as? String == "trip")
    #expect((past["clock"] as? [[String: Any]])?.first?["name"] as? String == "UTC+02:00")
    let nothing = try await page.get("/history.json?since=2020-01-01T00:00:00Z&until=2021-01-01T00:00:00Z")
    #expect(nothing == #"{"trail":[],"summary":{},"places":[]}"# + "\n")
    let gpx = try await page.get("/history.gpx?since=2026-05-06T00:00:00Z&until=2026-05-07T00:00:00Z")
    #expect(gpx.hasPrefix("<?xml") && gpx.hasSuffix("</gpx>\n") && gpx.components(separatedBy: "<trkpt ").count > 300)
    #expect(!gpx.contains("2026-05-07T"))
    #expect(try await page.get("/quarters.json") == "[1975679,1975680]")
    try await process.terminate()
  }

  @Test(arguments: ["1", "max"]) func aReplayTakesOrders(speed: String) async throws {
    let process = try DaemonProcess(["replay", "Recordings/drive.nmea", "--speed", speed, "--loop"] + map)
    func replay() async -> [String: Any] { await state()["replay"] as? [String: Any] ?? [:] }
    try await process.wait(for: "the page") { await !replay().isEmpty }
    #expect(try await page.post("/replay?paused=true", "Origin: http://localhost:\(page.port)\r\n").status == 200)
    try await process.wait(for: "the pause") { await replay()["paused"] as? Bool == true }
    for foreign in ["Origin: http://evil.example\r\n", "Sec-Fetch-Site: cross-site\r\n"] {
      #expect(try await page.post("/replay?paused=false", foreign).status == 403)
    }
    #expect(try await page.get("/replay?paused=false") == "only POST\n")
    for order in ["", "paused", "speed=0", "speed=-1", "speed=nan", "speed=1e9", "seek=x", "ahead=0", "paused=2"] {
      #expect(try await page.post("/replay?\(order)").status == 400, "\(order)")
    }
    #expect(await replay()["paused"] as? Bool == true)
    #expect(try await page.post("/replay?speed=2.5").body.contains(#""speed":2.5"#))
    // Many turns ahead: at full speed the replay may have gone on for a moment.
    let target = try #require(await replay()["position"] as? Double) + 10_000
    #expect(try await page.post("/replay?seek=\(target)").status == 200)
    try await process.wait(for: "the target") { await replay()["position"] as? Double == target }
    #expect(try await page.post("/replay?seek=1").status == 200)
    try await process.wait(for: "the way back") { await replay()["position"] as? Double == 1 }
    try await process.terminate()
  }

  @Test(arguments: ["drive.nmea", "gps.record"]) func aReplayThatIsSentBackBeginsAgain(_ name: String) async throws {
    // A fix every second for two minutes, as gpsd reports it.
    let record = (0..<120).map { second in
      let clock = String(format: "%02d:%02d", second / 60, second % 60)
      return "\(1_764_124_000 + second).000001: "
        + #"{"class":"TPV","device":"/dev/a","time":"2025-11-26T02:\#(clock).000Z","mode":3,"lat":51.5,"lon":-0.125}"#
    }
    let path =
      name == "drive.nmea"
      ? "Recordings/drive.nmea" : try folder.write(record.joined(separator: "\n") + "\n", to: name)
    let golden = try await DaemonProcess.run(["replay", path, "--speed", "max"]).lines
    let process = try DaemonProcess(["replay", path] + map)
    func position() async -> Double? { (await state()["replay"] as? [String: Any])?["position"] as? Double }
    try await process.wait(for: "the page") { await position() != nil }
    for order in ["paused=true", "seek=100.5"] { #expect(try await page.post("/replay?\(order)").status == 200) }
    try await process.wait(for: "the target") { await position() == 100.5 }
    #expect(try await page.post("/replay?seek=20.5").status == 200)
    try await process.wait(for: "the way back") { await position() == 20.5 }
    try await process.wait(for: "the trail of 20 seconds") {
      let times = (await state()["trail"] as? [[Any]])?.compactMap { $0[3] as? Double } ?? []
      return !times.isEmpty && times.last! - times.first! <= 20
    }
    #expect(try await page.post("/replay?speed=max").status == 200)
    #expect(try await page.post("/replay?paused=false").status == 200)
    let result = try await process.waitUntilExit(status: 0)
    #expect(Array(result.lines.suffix(golden.count)) == golden)
    let first = Array(result.lines.dropLast(golden.count))
    #expect(first.count > 90 && first.count < 120 && first == Array(golden.prefix(first.count)))
  }

  @Test func aReplayThatIsSentToItsEndHasEveryRecord() async throws {
    let process = try DaemonProcess(["replay", "Recordings/drive.nmea"] + map)
    try await process.wait(for: "the length") {
      (await state()["replay"] as? [String: Any])?["length"] as? Double == 719
    }
    #expect(try await page.post("/replay?ahead=600").status == 200)
    #expect(try await page.post("/replay?ahead=600").status == 200)
    let result = try await process.waitUntilExit(status: 0)
    #expect(result.output == (try Checkout.text("Recordings/drive.ndjson")))

    let stream = try DaemonProcess(["replay", "-"] + map, keepsInputOpen: true)
    try await stream.wait(for: "the page") { await !state().isEmpty }
    #expect(await state()["replay"] == nil)
    #expect(try await page.post("/replay?paused=true").status == 404)
    try await stream.terminate()
  }

  /// Its times are no later than what the journal holds of it.
  @Test func aReplayShowsItsOwnWayAlone() async throws {
    let journal = ["--journal", folder.path("journal.db"), "--speed", "max"]
    try await DaemonProcess.run(["replay", "Recordings/drive.nmea"] + journal, status: 0)
    let process = try DaemonProcess(["replay", "-"] + map + journal, keepsInputOpen: true)
    process.write((0..<4).map { NMEA.epoch($0 * 100) }.joined())
    try await process.wait(for: "the trail") { (await state()["trail"] as? [Any] ?? []).count >= 3 }
    let trail = try await page.get("/trail.geojson")
    #expect(trail.contains(#""2025-02-01T12:00:00.000Z""#) && !trail.contains("2026-"))
    try await process.terminate()
  }

  @Test func theStateHasWhatTheDaemonKnows() async throws {
    let fences = ["--fence", "home=51.16667,-0.125,500", "--fence", "far=0,0,10"]
    let process = try DaemonProcess(["replay", "-"] + map + fences, keepsInputOpen: true)
    process.feed(0..<3)
    try await process.wait(for: "a fix and satellites") {
      let state = await self.state()
      return (state["satellites"] as? [Any])?.count == 8 && state["fix"] as? String == "current"
    }
    let state = await self.state()
    #expect((state["location"] as? [String: Any])?["mode"] as? Int == 3)
    // They are judged after the fix is shown.
    try await process.wait(for: "the fences' states") {
      let fences = await self.state()["fences"] as? [[String: Any]] ?? []
      return fences.map { "\($0["id"] ?? "") \($0["state"] ?? "")" }.sorted() == ["far outside", "home inside"]
    }
    #expect((state["region"] as? [String: Any])?["span"] != nil)
    // The receiver says that it has no fix: that is no silence.
    process.feed(3..<8, hasFix: false)
    try await process.wait(for: "the loss") { await self.state()["fix"] as? String == "none" }
    #expect(await self.state()["location"] != nil, "the last one stays")
    try await process.terminate()
  }

  @Test func aFileOfTilesThatDoesNotExistIsRefusedAtTheStart() async throws {
    let result = try await DaemonProcess.run(
      ["replay", "Recordings/drive.nmea", "--map-tiles", "/nowhere/x.pmtiles"] + map, status: 66, saying: "No such file"
    )
    #expect(result.output.isEmpty)
  }

  @Test func aDamagedMapIsSaidAndThePageWorksWithoutIt() async throws {
    let journal = folder.path("journal")
    #expect(try await FlagTests.replay(["--journal", journal, "--format", "none"]).status == 0)
    for (path, words) in [
      (journal, "cannot be read as MBTiles: no such table: metadata; name a map in PMTiles"),
      (try folder.write("PMTiles", to: "cut.pmtiles"), "ends too early"),
      ("Recordings/drive.nmea", "is neither a PMTiles archive nor an MBTiles database"),
    ] {
      let flags = map + ["--map-tiles", path]
      let process = try DaemonProcess(["replay", "Recordings/drive.nmea"] + flags)
      try await process.wait(for: "a fix on the page") { await state()["location"] != nil }
      #expect(await state()["tiles"] == nil)
      let result = try await process.terminate(saying: "map-tiles \(path): \(words)")
      #expect(result.messages.contains("; the page is served without it\n"))
      let doctor = try await DaemonProcess.run(["doctor", "--gpsd", "127.0.0.1:9"] + flags)
      #expect(doctor.output.contains("map-tiles \(path): \(words)"), "\(doctor.output)")
    }
  }
}
