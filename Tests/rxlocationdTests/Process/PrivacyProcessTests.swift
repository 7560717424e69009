import Foundation
import TestSupport
import Testing

/// What leaves the running program about a hidden home and outside of a grid.
@Suite(.startsPrograms) struct PrivacyProcessTests {
  static let hasSecret = FileManager.default.contents(atPath: "/etc/machine-id")?.count == 33

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

  /// What each destination gets while the drive is replayed with a policy for all of them.
  private func outputs(_ policy: String?) async throws -> [(destination: String, text: String)] {
    let folder = TemporaryFolder()
    let page = PageClient(port: LoopbackSocket.unusedPort())
    let broker = try RealBroker(folder: folder)
    let subscriber = try BrokerSubscriber(broker, "#")
    let sockets = ["region-socket", "nmea", "location-socket"]
    let policies = (["map", "publish"] + sockets).flatMap { name in policy.map { ["--\(name)-privacy", $0] } ?? [] }
    let process = try DaemonProcess(
      [
        "replay", "-", "--speed", "max", "--fence", Self.fence, "--map", "127.0.0.1:\(page.port)", "--journal",
        folder.path("j"), "--publish", "mqtt://127.0.0.1:\(broker.port)", "--publish-discovery", "--publish-topic",
        "owntracks/ann/car",
      ] + sockets.flatMap { ["--\($0)", "unix:\(folder.path($0))"] } + policies, keepsInputOpen: true)
    var readers: [SocketReader] = []
    for socket in sockets { readers.append(try await SocketReader(unix: folder.path(socket))) }
    readers.last?.write("watch satellites\n")
    process.write(try Checkout.text(Self.recording))
    /// Reads what has come; a reader that is slow is disconnected.
    func haveEnded() -> Bool { readers.count { $0.hasEnded } == readers.count }
    try await process.wait(for: "the drive") { !haveEnded() && process.output.split(separator: "\n").count > 690 }
    let month = "?since=2026-05-01T00:00:00Z&until=2026-06-01T00:00:00Z"
    var answers = ""
    for path in ["state.json", "trail.geojson", "quarters.json", "history.gpx" + month, "history.json" + month] {
      answers += try await page.ask("/" + path)
    }
    process.closeInput()
    #expect(await eventually { haveEnded() })
    try await process.waitUntilExit(status: 0)
    #expect(await eventually { subscriber.contains("car/availability 0 offline") })
    let published = subscriber.messages.map { $0.topic + " " + $0.payload }.joined(separator: "\n")
    var outputs = [("map", answers), ("publish", published)]
    for (socket, reader) in zip(sockets, readers) {
      outputs.append((socket, try await reader.lines(atLeast: 0).joined(separator: "\n")))
    }
    return outputs
  }

  @Test(.enabled(if: hasSecret, "this host has no machine-id")) func aHiddenHomeAppearsNowhere() async throws {
    let (home, elsewhere) = Self.positions
    #expect(!home.isEmpty && elsewhere.count > 100)
    for (destination, exact) in try await outputs(nil) {
      #expect(home.contains { exact.contains($0) }, "the test does not find the home in \(destination)")
    }
    for (destination, hidden) in try await outputs("hide:casa") {
      #expect(home.filter { hidden.contains($0) }.isEmpty, "\(destination)")
      #expect(elsewhere.contains { hidden.contains($0) }, "\(destination)")
      #expect(!hidden.contains("casa"), "\(destination)")
    }
  }

  @Test func aGridIsAllThatAppears() async throws {
    let (home, elsewhere) = Self.positions
    for (destination, cells) in try await outputs("grid:2000") {
      #expect(home.union(elsewhere).filter { cells.contains($0) }.isEmpty, "\(destination)")
      #expect(cells.contains("37.7") || cells.contains(",374") || cells.contains(",3746"), "\(destination)")
      #expect(!cells.contains("casa"), "\(destination)")
    }
  }

  /// A journal is exact, and so are the records of this host.
  @Test(.enabled(if: hasSecret, "this host has no machine-id"))
  func standardOutputStaysExact() async throws {
    let folder = TemporaryFolder()
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
    let gpsd = try DaemonProcess.greeted(listener)
    gpsd.send(#"{"class":"SKY","device":"/dev/a","nSat":2,"uSat":1}"# + "\n")
    let place = #""mode":3,"lat":48.0,"lon":11.0,"altMSL":500.0,"eph":3.2,"speed":1.0"#
    gpsd.send(#"{"class":"TPV","device":"/dev/a",\#(place)}"# + "\n")
    let result = try await doctor.waitUntilExit()
    withExtendedLifetime(gpsd) {}
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
