import Foundation
import Journal
import LocationKit
import TestSupport
import Writing
import Testing

/// `--map` as other programs than the page see it.
@Suite(.startsPrograms) struct MapProcessTests {
  private let folder: TestSupport.TemporaryFolder

  init() throws { folder = try TestSupport.TemporaryFolder() }

  private func get(_ path: String, _ port: UInt16) async throws -> String {
    let client = try Client.tcp(Int(port))
    client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
    let answer = await client.rest()
    return answer.components(separatedBy: "\r\n\r\n").dropFirst().joined()
  }

  private func fetch(_ port: UInt16) async throws -> [String: Any] {
    let text = try await get("/state.json", port)
    return try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
  }

  @Test func aRestartedDaemonShowsTheTrailOfItsJournalAndSaysThatThereIsNoGPSD() async throws {
    let journal = folder.path("journal.db")
    let earlier = try await DaemonProcess.run([
      "replay", "Recordings/drive.nmea", "--speed", "max", "--format", "none", "--journal", journal,
    ])
    #expect(earlier.status == 0)
    let (port, gpsd) = (try LoopbackSocket.unusedPort(), try LoopbackSocket.unusedPort())
    let process = try DaemonProcess([
      "run", "--gpsd", "127.0.0.1:\(gpsd)", "--journal", journal, "--map", "127.0.0.1:\(port)",
    ])
    var state: [String: Any] = [:]
    try await process.wait(for: "the trail, and a failed try to connect") {
      state = (try? await fetch(port)) ?? [:]
      let message = (state["source"] as? [String: String])?["message"] ?? ""
      return (state["trail"] as? [Any])?.count ?? 0 > 300 && message.hasPrefix("no gpsd at 127.0.0.1:\(gpsd): ")
    }
    let breaks = (state["trail"] as? [Any] ?? []).count { $0 is NSNull }
    #expect(breaks == 1, "the tunnel is a gap")
    let source = state["source"] as? [String: String]
    #expect(source?["status"] == "waiting")
    #expect(state["fix"] as? String == "none" && state["age"] == nil && state["location"] == nil)
    let trail = try await get("/trail.geojson?since=2026-05-07T00:00:00Z", port)
    #expect(trail.contains("2026-05-07T00:0") && !trail.contains("2026-05-06"))
    #expect(try await get("/trail.geojson?since=yesterday", port).contains("expected a time"))

    // Of the drive what came before midnight, by a clock in Berlin.
    let day = "since=2026-05-06T00:00:00Z&until=2026-05-07T00:00:00Z&offset=7200"
    let midnight = try await get("/history.json?\(day)", port)
    let past = try JSONSerialization.jsonObject(with: Data(midnight.utf8)) as? [String: Any] ?? [:]
    let times = (past["trail"] as? [Any] ?? []).compactMap { ($0 as? [Any])?[3] as? Double }
    #expect(times.first == 1_778_111_640 && times.last ?? .infinity < 1_778_112_000)
    let figures = past["summary"] as? [String: Any] ?? [:]
    #expect(figures["start"] as? String == "2026-05-06T23:54:00.000Z")
    #expect((figures["parts"] as? [[String: Any]])?.first?["type"] as? String == "trip")
    #expect((past["clock"] as? [[String: Any]])?.first?["name"] as? String == "UTC+02:00")
    let nothing = try await get("/history.json?since=2020-01-01T00:00:00Z&until=2021-01-01T00:00:00Z", port)
    #expect(nothing == #"{"trail":[],"summary":{},"places":[]}"# + "\n")
    let gpx = try await get("/history.gpx?since=2026-05-06T00:00:00Z&until=2026-05-07T00:00:00Z", port)
    #expect(gpx.hasPrefix("<?xml") && gpx.hasSuffix("</gpx>\n") && gpx.components(separatedBy: "<trkpt ").count > 300)
    #expect(!gpx.contains("2026-05-07T"))
    #expect(try await get("/quarters.json", port) == "[1975679,1975680]")
    try await process.terminate()
  }

  /// The status of a POST and its body.
  private func post(_ path: String, _ port: UInt16, _ fields: String = "") async throws -> (status: Int, body: String) {
    let client = try Client.tcp(Int(port))
    client.send("POST \(path) HTTP/1.1\r\nHost: localhost:\(port)\r\n\(fields)Content-Length: 0\r\n\r\n")
    let answer = await client.rest()
    return (Int(answer.dropFirst(9).prefix(3)) ?? 0, answer.components(separatedBy: "\r\n\r\n").last ?? "")
  }

  @Test(arguments: ["1", "max"]) func aReplayTakesOrders(speed: String) async throws {
    let port = try LoopbackSocket.unusedPort()
    let process = try DaemonProcess([
      "replay", "Recordings/drive.nmea", "--speed", speed, "--loop", "--map", "127.0.0.1:\(port)",
    ])
    func replay() async -> [String: Any] { (try? await fetch(port)["replay"] as? [String: Any]) ?? [:] }
    try await process.wait(for: "the page") { await !replay().isEmpty }
    #expect(try await post("/replay?paused=true", port, "Origin: http://localhost:\(port)\r\n").status == 200)
    try await process.wait(for: "the pause") { await replay()["paused"] as? Bool == true }
    for foreign in ["Origin: http://evil.example\r\n", "Sec-Fetch-Site: cross-site\r\n"] {
      #expect(try await post("/replay?paused=false", port, foreign).status == 403)
    }
    #expect(try await get("/replay?paused=false", port) == "only POST\n")
    for order in ["", "paused", "speed=0", "speed=-1", "speed=nan", "speed=1e9", "seek=x", "ahead=0", "paused=2"] {
      #expect(try await post("/replay?\(order)", port).status == 400, "\(order)")
    }
    #expect(await replay()["paused"] as? Bool == true)
    #expect(try await post("/replay?speed=2.5", port).body.contains(#""speed":2.5"#))
    // Many turns ahead: at full speed the replay may have gone on for a moment.
    let target = try #require(await replay()["position"] as? Double) + 10_000
    #expect(try await post("/replay?seek=\(target)", port).status == 200)
    try await process.wait(for: "the target") { await replay()["position"] as? Double == target }
    #expect(try await post("/replay?seek=1", port).status == 200)
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
    let port = try LoopbackSocket.unusedPort()
    let process = try DaemonProcess(["replay", path, "--map", "127.0.0.1:\(port)"])
    func state() async -> [String: Any] { (try? await fetch(port)) ?? [:] }
    func position() async -> Double? { (await state()["replay"] as? [String: Any])?["position"] as? Double }
    try await process.wait(for: "the page") { await position() != nil }
    for order in ["paused=true", "seek=100.5"] { #expect(try await post("/replay?\(order)", port).status == 200) }
    try await process.wait(for: "the target") { await position() == 100.5 }
    #expect(try await post("/replay?seek=20.5", port).status == 200)
    try await process.wait(for: "the way back") { await position() == 20.5 }
    try await process.wait(for: "the trail of 20 seconds") {
      let times = (await state()["trail"] as? [[Any]])?.compactMap { $0[3] as? Double } ?? []
      return !times.isEmpty && times.last! - times.first! <= 20
    }
    #expect(try await post("/replay?speed=max", port).status == 200)
    #expect(try await post("/replay?paused=false", port).status == 200)
    let result = try await process.waitUntilExit()
    #expect(result.status == 0)
    #expect(Array(result.lines.suffix(golden.count)) == golden)
    let first = Array(result.lines.dropLast(golden.count))
    #expect(first.count > 90 && first.count < 120 && first == Array(golden.prefix(first.count)))
  }

  @Test func aReplayThatIsSentToItsEndHasEveryRecord() async throws {
    let port = try LoopbackSocket.unusedPort()
    let process = try DaemonProcess(["replay", "Recordings/drive.nmea", "--map", "127.0.0.1:\(port)"])
    try await process.wait(for: "the length") {
      (try? await fetch(port)["replay"] as? [String: Any])?["length"] as? Double == 719
    }
    #expect(try await post("/replay?ahead=600", port).status == 200)
    #expect(try await post("/replay?ahead=600", port).status == 200)
    let result = try await process.waitUntilExit()
    #expect(result.status == 0)
    let golden = DaemonProcess.packageRoot.appendingPathComponent("Recordings/drive.ndjson")
    #expect(result.output == (try String(contentsOf: golden, encoding: .utf8)))

    let stream = try DaemonProcess(["replay", "-", "--map", "127.0.0.1:\(port)"], keepsInputOpen: true)
    try await stream.wait(for: "the page") { (try? await fetch(port).isEmpty) == false }
    #expect(try await fetch(port)["replay"] == nil)
    #expect(try await post("/replay?paused=true", port).status == 404)
    try await stream.terminate()
  }

  /// Its times are no later than what the journal holds of it.
  @Test func aReplayShowsItsOwnWayAlone() async throws {
    let journal = ["--journal", folder.path("journal.db"), "--speed", "max"]
    let earlier = try await DaemonProcess.run(["replay", "Recordings/drive.nmea"] + journal)
    #expect(earlier.status == 0)
    let port = try LoopbackSocket.unusedPort()
    let process = try DaemonProcess(["replay", "-", "--map", "127.0.0.1:\(port)"] + journal, keepsInputOpen: true)
    process.write(Data((0..<4).map { NMEA.epoch($0 * 100) }.joined().utf8))
    try await process.wait(for: "the trail") { ((try? await fetch(port)["trail"] as? [Any])?.count ?? 0) >= 3 }
    let trail = try await get("/trail.geojson", port)
    #expect(trail.contains(#""2025-02-01T12:00:00.000Z""#) && !trail.contains("2026-"))
    try await process.terminate()
  }

  @Test func aLossBreaksTheTrailOfTheJournal() async throws {
    let journal = folder.path("journal.db")
    let writer = try JournalWriter(path: journal, limit: 1 << 20, mode: .replay)
    for number in 0..<40 {
      let location = Location(
        coordinate: LocationCoordinate2D(latitude: 48.1 + Double(number) / 1000, longitude: 11.6),
        timestamp: Date(timeIntervalSince1970: 1_750_000_000 + Double(number)))
      writer.append(.location(location))
      if number == 9 { writer.append(.error(LocationError(.network, ""), location.timestamp)) }
      if number == 19 { writer.append(.error(LocationError(.locationUnknown, ""), location.timestamp)) }
    }
    #expect(await writer.finish() == .finished)
    let (port, gpsd) = (try LoopbackSocket.unusedPort(), try LoopbackSocket.unusedPort())
    let process = try DaemonProcess([
      "run", "--gpsd", "127.0.0.1:\(gpsd)", "--journal", journal, "--map", "127.0.0.1:\(port)",
    ])
    try await process.wait(for: "the trail") { (try? await fetch(port)["trail"] as? [Any])?.isEmpty == false }
    let trail = try await get("/trail.geojson", port)
    #expect(trail.components(separatedBy: "LineString").count == 3, "two lines: \(trail.prefix(600))")
    try await process.terminate()
  }

  @Test func theStateHasWhatTheDaemonKnows() async throws {
    let port = try LoopbackSocket.unusedPort()
    let process = try DaemonProcess(
      [
        "replay", "-", "--map", "127.0.0.1:\(port)", "--fence", "home=51.16667,-0.125,500",
        "--fence", "far=0,0,10",
      ], keepsInputOpen: true)
    process.write(Data((0..<3).map { NMEA.epoch($0) }.joined().utf8))
    try await process.wait(for: "a fix and satellites") {
      guard let state = try? await fetch(port) else { return false }
      return (state["satellites"] as? [Any])?.count == 8 && state["fix"] as? String == "current"
    }
    let state = try await fetch(port)
    #expect(state["fix"] as? String == "current")
    #expect((state["location"] as? [String: Any])?["mode"] as? Int == 3)
    // They are judged after the fix is shown.
    try await process.wait(for: "the fences' states") {
      let fences = (try? await fetch(port)["fences"] as? [[String: Any]]) ?? []
      return fences.map { "\($0["id"] ?? "") \($0["state"] ?? "")" }.sorted() == ["far outside", "home inside"]
    }
    #expect((state["region"] as? [String: Any])?["span"] != nil)
    // The receiver says that it has no fix: that is no silence.
    process.write(Data((3..<8).map { NMEA.epoch($0, hasFix: false) }.joined().utf8))
    try await process.wait(for: "the loss") { (try? await fetch(port)["fix"] as? String) == "none" }
    #expect(try await fetch(port)["location"] != nil, "the last one stays")
    try await process.terminate()
  }

  @Test func aReloadTakesTheFencesOverOnThePage() async throws {
    let (port, folder) = (try LoopbackSocket.unusedPort(), try TemporaryFolder())
    let settings = try folder.write("fence a=1,1,50\n", to: "x.conf")
    let process = try DaemonProcess(
      ["replay", "-", "--map", "127.0.0.1:\(port)", "--config", settings], keepsInputOpen: true)
    try await process.wait(for: "the page") { (try? await fetch(port)["fences"] as? [Any])?.count == 1 }
    try folder.write("fence b=1,1,50\n", to: "x.conf")
    process.send(signal: SIGHUP)
    try await process.wait(for: "the reload") { process.messages.contains("reloaded") }
    #expect((try await fetch(port)["fences"] as? [[String: Any]])?.map { $0["id"] as? String } == ["b"])
    try await process.terminate()
  }

  @Test func anAddressBeyondLoopbackIsSaid() async throws {
    let port = try LoopbackSocket.unusedPort()
    let process = try DaemonProcess(["replay", "-", "--map", "*:\(port)"], keepsInputOpen: true)
    try await process.wait(for: "the warning") { process.messages.contains("see where the receiver is") }
    try await process.terminate()
  }

  @Test func withoutLeafletTheDaemonRunsAndSaysWhatToInstall() async throws {
    let (port, folder) = (try LoopbackSocket.unusedPort(), try TemporaryFolder())
    let process = try DaemonProcess(
      ["replay", "-", "--map", "127.0.0.1:\(port)", "--map-assets", folder.path("none")], keepsInputOpen: true)
    try await process.wait(for: "the warning") { process.messages.contains("install the package libjs-leaflet") }
    try await process.wait(for: "the page") { (try? await fetch(port)["leaflet"] as? Bool) == false }
    #expect(try await fetch(port)["help"] as? String != nil)
    try await process.terminate()
  }

  @Test func aFileOfTilesThatDoesNotExistIsRefusedAtTheStart() async throws {
    let page = ["--map", "127.0.0.1:0", "--map-tiles", "/nowhere/x.pmtiles"]
    let result = try await DaemonProcess.run(["replay", "Recordings/drive.nmea"] + page)
    #expect(result.status == 66 && result.messages.contains("No such file"), "\(result.messages)")
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
      let port = try LoopbackSocket.unusedPort()
      let page = ["--map", "127.0.0.1:\(port)", "--map-tiles", path]
      let process = try DaemonProcess(["replay", "Recordings/drive.nmea"] + page)
      try await process.wait(for: "a fix on the page") { (try? await fetch(port)["location"]) != nil }
      #expect(try await fetch(port)["tiles"] == nil)
      let result = try await process.terminate()
      #expect(result.messages.contains("map-tiles \(path): \(words)"), "\(result.messages)")
      #expect(result.messages.contains("; the page is served without it\n"))
      let doctor = try await DaemonProcess.run(["doctor", "--gpsd", "127.0.0.1:9"] + page)
      #expect(doctor.output.contains("map-tiles \(path): \(words)"), "\(doctor.output)")
    }
  }
}
