import Foundation
import Testing
import TestSupport

/// `--metrics` as Prometheus would read it.
@Suite(.startsPrograms) struct MetricsTests {
  @Test func tellWhatTheReplayHasReported() async throws {
    let port = try LoopbackSocket.unusedPort()
    let process = try DaemonProcess([
      "replay", "Recordings/drive.nmea", "--speed", "50", "--loop", "--metrics", "127.0.0.1:\(port)",
    ])
    try await process.wait(for: "locations") { process.output.split(separator: "\n").count > 20 }
    let text = try scrape(port: port)
    #expect(text.hasPrefix("HTTP/1.1 200"))
    #expect(value("rxlocationd_locations_total", in: text) ?? 0 >= 20)
    #expect(value("rxlocationd_fix_mode", in: text) == 3)
    #expect(value("rxlocationd_satellites_used", in: text) == 15)
    for (system, visible, used) in [("GPS", 8.0, 7.0), ("GLONASS", 5, 4), ("Galileo", 5, 4)] {
      #expect(value("rxlocationd_satellites{system=\"\(system)\",state=\"visible\"}", in: text) == visible)
      #expect(value("rxlocationd_satellites{system=\"\(system)\",state=\"used\"}", in: text) == used)
    }
    #expect(!text.contains("BeiDou"), "a constellation that the receiver does not know has no metric")
    #expect(value("rxlocationd_fix_age_seconds", in: text).map { $0 >= 0 } == true)
    #expect(value("rxlocationd_records_total{output=\"standard output\"}", in: text) ?? 0 >= 20)
    #expect(try scrape("/elsewhere", port: port).hasPrefix("HTTP/1.1 404"))
    try await process.terminate()
  }

  @Test func theJournalsRowsAreCounted() async throws {
    let folder = try TemporaryFolder()
    let port = try LoopbackSocket.unusedPort()
    let process = try DaemonProcess([
      "replay", "Recordings/drive.nmea", "--speed", "50", "--loop", "--metrics", "127.0.0.1:\(port)",
      "--journal", folder.path("journal.db"),
    ])
    try await process.wait(for: "rows") {
      (try? value("rxlocationd_journal_rows_total", in: scrape(port: port)) ?? 0) ?? 0 >= 20
    }
    let text = try scrape(port: port)
    for name in ["dropped_records_total", "unread_rows_total", "failures_total"] {
      #expect(value("rxlocationd_journal_\(name)", in: text) == 0, "\(name)")
    }
    #expect(value("rxlocationd_journal_bytes", in: text) ?? 0 >= 4096)
    process.send(signal: SIGUSR1)
    try await process.wait(for: "the state") { process.messages.contains(" to the journal, 0 dropped") }
    try await process.terminate()
  }

  @Test func badLinesAreCountedWhileTheReplayRuns() async throws {
    let folder = try TemporaryFolder()
    let good = (0..<200).map { NMEA.epoch($0) }
    let bad = "$GPRMC,broken*00\r\n"
    let recording = try folder.write(good[0] + bad + good[1] + bad + good[2...].joined(), to: "x.nmea")
    let port = try LoopbackSocket.unusedPort()
    let process = try DaemonProcess([
      "replay", recording, "--speed", "10", "--loop", "--metrics", "127.0.0.1:\(port)",
    ])
    func count(_ kind: String) -> Double? {
      (try? scrape(port: port)).flatMap { value(#"rxlocationd_bad_lines_total{kind="\#(kind)"}"#, in: $0) }
    }
    try await process.wait(for: "two bad lines") { count("checksum") ?? 0 >= 2 }
    #expect(count("malformed") == 0)
    #expect(process.isRunning)
    try await process.terminate()
  }

  /// The program's connection to a stand-in for gpsd, after the handshake.
  private func greeted(_ server: LoopbackSocket) throws -> LoopbackSocket {
    let gpsd = try server.accept()
    gpsd.send(#"{"class":"VERSION","release":"3.22","proto_major":3,"proto_minor":14}"# + "\n")
    _ = gpsd.receive()
    gpsd.send(#"{"class":"WATCH","enable":true,"json":true}"# + "\n")
    return gpsd
  }

  @Test func aFixAndItsLossAreToldApart() async throws {
    let server = try LoopbackSocket.listener()
    let port = try LoopbackSocket.unusedPort()
    let process = try DaemonProcess([
      "--gpsd", "127.0.0.1:\(server.port)", "--metrics", "127.0.0.1:\(port)", "--stale-after", "3600",
    ])
    let gpsd = try greeted(server)
    func values() -> [Double?] {
      guard let text = try? scrape(port: port) else { return [] }
      return ["fix_mode", #"errors_total{code="locationUnknown"}"#, #"errors_total{code="network"}"#].map {
        value("rxlocationd_" + $0, in: text)
      }
    }
    try await process.wait(for: "the start") { values() == [1, 0, 0] }
    gpsd.send(#"{"class":"TPV","device":"/dev/a","mode":3,"lat":1.5,"lon":2}"# + "\n")
    try await process.wait(for: "a fix") { values() == [3, 0, 0] }
    gpsd.send(#"{"class":"TPV","device":"/dev/a","mode":1}"# + "\n")
    try await process.wait(for: "its loss") { values() == [1, 1, 0] }
    try await process.terminate()
    withExtendedLifetime(gpsd) {}
  }

  @Test func withoutGPSDNoSatellitesAreKnown() async throws {
    let server = try LoopbackSocket.listener()
    let port = try LoopbackSocket.unusedPort()
    let process = try DaemonProcess([
      "--gpsd", "127.0.0.1:\(server.port)", "--metrics", "127.0.0.1:\(port)",
    ])
    let gpsd = try greeted(server)
    gpsd.send(
      #"{"class":"SKY","device":"/dev/a","satellites":[{"PRN":5,"gnssid":0,"svid":5,"ss":40,"used":true}]}"# + "\n")
    let names = ["_seen", "_used", #"{system="GPS",state="visible"}"#, #"{system="GPS",state="used"}"#]
    func values() throws -> [Double?] {
      let text = try scrape(port: port)
      return names.map { value("rxlocationd_satellites" + $0, in: text) }
    }
    try await process.wait(for: "a satellite") { (try? values()) == [1, 1, 1, 1] }
    gpsd.close()
    try await process.wait(for: "none") { (try? values()) == [nil, nil, nil, nil] }
    try await process.terminate()
  }

  @Test func lostRecordsOfALiveRunAreCounted() async throws {
    let server = try LoopbackSocket.listener()
    let port = try LoopbackSocket.unusedPort()
    let process = try DaemonProcess(
      "/bin/bash",
      [
        "-c", "exec '\(DaemonProcess.executable.path)' --gpsd 127.0.0.1:\(server.port) --metrics \(port) >/dev/full",
      ])
    let gpsd = try greeted(server)
    let name = #"rxlocationd_dropped_records_total{output="standard output"}"#
    #expect(value(name, in: try scrape(port: port)) == 0)
    try await overflow(process, gpsd) { (try? value(name, in: scrape(port: port)) ?? 0) ?? 0 > 0 }
    #expect(value("rxlocationd_locations_total", in: try scrape(port: port)) ?? 0 > 0)
    process.send(signal: SIGTERM)
    let result = try await process.waitUntilExit()
    #expect(result.status == 74)
  }

  /// A reader that stops for a while, and then reads all that is left for it.
  @Test func whatASlowReaderMissedIsSaidAtTheEnd() async throws {
    let folder = try TemporaryFolder()
    let pipe = folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let server = try LoopbackSocket.listener()
    let port = try LoopbackSocket.unusedPort()
    let reader = open(pipe, O_RDONLY | O_NONBLOCK)
    let process = try DaemonProcess(
      "/bin/bash",
      [
        "-c",
        "exec '\(DaemonProcess.executable.path)' --gpsd 127.0.0.1:\(server.port) --metrics \(port) >'\(pipe)'",
      ])
    let gpsd = try greeted(server)
    let name = #"rxlocationd_dropped_records_total{output="standard output"}"#
    try await overflow(process, gpsd) { (try? value(name, in: scrape(port: port)) ?? 0) ?? 0 > 0 }
    _ = fcntl(reader, F_SETFL, 0)
    Thread.detachNewThread {
      var bytes = [UInt8](repeating: 0, count: 65_536)
      while read(reader, &bytes, bytes.count) > 0 {}
      close(reader)
    }
    process.send(signal: SIGTERM)
    let result = try await process.waitUntilExit()
    #expect(result.status == 74)
    #expect(result.messages.contains("because it was too slow or failed for a while"), "\(result.messages)")
  }

  /// Sends reports until they are more than the output's buffer holds.
  private func overflow(_ process: DaemonProcess, _ gpsd: LoopbackSocket, _ hasLost: () -> Bool) async throws {
    var count = 0
    try await process.wait(for: "lost records") {
      let reports = (0..<2000).map { _ in
        count += 1
        let latitude = Double(count % 80_000) / 1000
        return #"{"class":"TPV","device":"/dev/a","mode":3,"lat":\#(latitude),"lon":2}"# + "\n"
      }
      gpsd.send(reports.joined())
      return hasLost()
    }
  }
}
