import Foundation
import TestSupport
import Testing

/// What leaves the running program about a hidden home and outside of a grid.
@Suite(.startsPrograms) struct PrivacyProcessTests {
  private static let hasSecret = FileManager.default.contents(atPath: "/etc/machine-id")?.count == 33

  private static let recording = "Recordings/drive.nmea"
  /// A place of the drive, and the settings that hide it.
  private static let fence = "casa=37.77715,-122.3985,30"

  /// What every location of the drive would be in texts of outputs, at home and elsewhere.
  private static let positions: (home: Set<String>, elsewhere: Set<String>) = {
    let text = (try? String(contentsOf: Checkout.file("Recordings/drive.ndjson"), encoding: .utf8)) ?? ""
    var (home, elsewhere): (Set<String>, Set<String>) = ([], [])
    for line in text.split(separator: "\n") {
      guard let record = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
        let latitude = record["latitude"] as? Double, let longitude = record["longitude"] as? Double
      else { continue }
      let metres = hypot((latitude - 37.77715) * 111_000, (longitude + 122.3985) * 87_900)
      // 37.777150 in records, and 3746.6290 in NMEA; both have more digits.
      let minutes = latitude.truncatingRemainder(dividingBy: 1) * 60
      let texts = [
        String(format: "%.9f", latitude).prefix(9), String(format: "%02d%09.6f", Int(latitude), minutes).prefix(9),
      ].map(String.init)
      if metres < 30 { home.formUnion(texts) } else if metres > 600 { elsewhere.formUnion(texts) }
    }
    return (home.subtracting(elsewhere), elsewhere)
  }()

  /// What a destination gets while the drive is replayed.
  private func output(of destination: String, _ arguments: [String]) async throws -> String {
    let folder = try TemporaryFolder()
    let port = try LoopbackSocket.unusedPort()
    func replay(_ output: [String]) throws -> DaemonProcess {
      try DaemonProcess(
        ["replay", "-", "--speed", "max", "--fence", Self.fence] + output
          + arguments.flatMap { ["--\(destination)-privacy", $0] }, keepsInputOpen: true)
    }
    let drive = try Data(contentsOf: Checkout.file(Self.recording))
    /// Plays the drive and waits for its last record.
    func play(_ process: DaemonProcess) async throws {
      process.write(drive)
      try await process.wait(for: "the drive") { process.output.split(separator: "\n").count > 690 }
    }
    switch destination {
    case "map":
      let process = try replay(["--map", "127.0.0.1:\(port)", "--journal", folder.path("j")])
      try await play(process)
      func get(_ path: String) async throws -> String {
        let client = try Client.tcp(Int(port))
        client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return await client.rest()
      }
      let paths = [
        "/state.json", "/trail.geojson", "/quarters.json",
        "/history.gpx?since=2026-05-01T00:00:00Z&until=2026-06-01T00:00:00Z",
        "/history.json?since=2026-05-01T00:00:00Z&until=2026-06-01T00:00:00Z",
      ]
      var answers = ""
      for path in paths { answers += try await get(path) }
      try await process.terminate()
      return answers
    case "publish":
      let broker = try RealBroker(folder: folder, port: port)
      let subscriber = try BrokerSubscriber(broker, "#")
      let process = try replay([
        "--publish", "mqtt://127.0.0.1:\(port)", "--publish-discovery", "--publish-topic", "owntracks/ann/car",
      ])
      try await play(process)
      process.closeInput()
      #expect(try await process.waitUntilExit().status == 0, "\(process.messages)")
      #expect(await eventually { subscriber.contains("car/availability 0 offline") })
      return subscriber.messages.map { $0.topic + " " + $0.payload }.joined(separator: "\n")
    default:
      let socket = folder.path("s")
      let process = try replay(["--\(destination)", "unix:\(socket)"])
      let reader = try await SocketReader(unix: socket)
      try await play(process)
      process.closeInput()
      var lines: [String] = []
      #expect(await eventually { reader.hasEnded })
      lines = try await reader.lines(atLeast: 0)
      #expect(try await process.waitUntilExit().status == 0, "\(process.messages)")
      return lines.joined(separator: "\n")
    }
  }

  @Test(.enabled(if: hasSecret, "this host has no machine-id"), arguments: ["publish", "map", "region-socket", "nmea"])
  func aHiddenHomeAppearsNowhere(destination: String) async throws {
    let (home, elsewhere) = Self.positions
    #expect(!home.isEmpty && elsewhere.count > 100)
    let exact = try await output(of: destination, [])
    #expect(home.contains { exact.contains($0) }, "the test finds the home")
    let hidden = try await output(of: destination, ["hide:casa"])
    #expect(home.filter { hidden.contains($0) }.isEmpty)
    #expect(elsewhere.contains { hidden.contains($0) })
    #expect(!hidden.contains("casa"))
  }

  @Test(arguments: ["publish", "map", "region-socket", "nmea"])
  func aGridIsAllThatAppears(destination: String) async throws {
    let (home, elsewhere) = Self.positions
    let cells = try await output(of: destination, ["grid:2000"])
    #expect(home.union(elsewhere).filter { cells.contains($0) }.isEmpty)
    #expect(cells.contains("37.7") || cells.contains(",374") || cells.contains(",3746"))
    #expect(!cells.contains("casa"))
  }

  /// A journal is exact, and so are the records of this host.
  @Test(.enabled(if: hasSecret, "this host has no machine-id"))
  func standardOutputStaysExact() async throws {
    let folder = try TemporaryFolder()
    let exact = try await DaemonProcess.run(["replay", Self.recording, "--speed", "max", "--fence", Self.fence])
    let hidden = try await DaemonProcess.run([
      "replay", Self.recording, "--speed", "max", "--fence", Self.fence, "--region-socket",
      "unix:\(folder.path("s"))", "--region-socket-privacy", "hide:casa", "--region-socket-privacy", "grid:100",
    ])
    #expect(hidden.status == 0 && hidden.output == exact.output)
  }

  @Test(.enabled(if: hasSecret, "this host has no machine-id"))
  func theDoctorTellsWhatEachDestinationSees() async throws {
    let listener = try LoopbackSocket.listener()
    let doctor = try DaemonProcess([
      "doctor", "--timeout", "30", "--gpsd", "127.0.0.1:\(listener.port)", "--fence", "casa=48,11,50",
      "--map", "127.0.0.1:0", "--map-privacy", "hide:casa", "--region-socket", "tcp:127.0.0.1:0", "--nmea",
      "tcp:127.0.0.1:0", "--nmea-privacy", "grid:500", "--location-socket", "tcp:127.0.0.1:0",
      "--location-socket-privacy", "hide:casa",
    ])
    var client: LoopbackSocket?
    try await doctor.wait(for: "connection") {
      client = try? listener.accept(within: 0)
      return client != nil
    }
    let lines = [
      #"{"class":"VERSION","release":"3.25"}"#, #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a"}]}"#,
      #"{"class":"WATCH","enable":true}"#, #"{"class":"SKY","device":"/dev/a","nSat":2,"uSat":1}"#,
      #"{"class":"TPV","device":"/dev/a","mode":3,"lat":48.0,"lon":11.0,"altMSL":500.0,"eph":3.2,"speed":1.0}"#,
    ]
    _ = client?.send(lines.map { $0 + "\r\n" }.joined())
    let result = try await doctor.waitUntilExit()
    withExtendedLifetime(client) {}
    let words = result.lines.filter { $0.contains("privacy: ") }.map { line in
      String(line.drop { $0 != ":" }.dropFirst(2))
    }
    #expect(
      words == [
        "map page 127.0.0.1:0 sees nothing: the location is hidden (in casa's zone)",
        "location socket tcp:127.0.0.1:0 sees nothing: the location is hidden (in casa's zone)",
        "region socket tcp:127.0.0.1:0 sees 48.00000, 11.00000 ± 3 m, altitude, speed",
        "NMEA socket tcp:127.0.0.1:0 sees 48.00150, 11.00226 ± 354 m, without altitude, speed and course",
      ], "\(result.output)")
  }
}
