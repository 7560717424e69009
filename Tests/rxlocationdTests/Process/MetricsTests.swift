import Foundation
import Testing
import TestSupport

/// `--metrics` as Prometheus would read it.
@Suite(.startsPrograms) struct MetricsTests {
  @Test func tellWhatTheReplayHasReported() async throws {
    let port = try LoopbackSocket.listener().port
    let process = try DaemonProcess([
      "replay", "Recordings/drive.nmea", "--speed", "50", "--loop", "--metrics", "127.0.0.1:\(port)",
    ])
    try await process.wait(for: "locations") { process.output.split(separator: "\n").count > 20 }
    let text = try scrape(port: port)
    #expect(text.hasPrefix("HTTP/1.1 200"))
    #expect(value("rxlocationd_locations_total", in: text) ?? 0 >= 20)
    #expect(value("rxlocationd_fix_mode", in: text) == 3)
    #expect(value("rxlocationd_satellites_used", in: text) == 15)
    #expect(value("rxlocationd_fix_age_seconds", in: text).map { $0 >= 0 } == true)
    #expect(value("rxlocationd_records_total{output=\"standard output\"}", in: text) ?? 0 >= 20)
    #expect(try scrape("/elsewhere", port: port).hasPrefix("HTTP/1.1 404"))
    process.send(signal: SIGTERM)
    #expect(try await process.waitUntilExit().status == 0)
  }

  @Test func badLinesAreCountedWhileTheReplayRuns() async throws {
    let folder = try TemporaryFolder()
    let good = (0..<200).map { NMEA.epoch($0) }
    let bad = "$GPRMC,broken*00\r\n"
    let recording = try folder.write(good[0] + bad + good[1] + bad + good[2...].joined(), to: "x.nmea")
    let port = try LoopbackSocket.listener().port
    let process = try DaemonProcess([
      "replay", recording, "--speed", "10", "--loop", "--metrics", "127.0.0.1:\(port)",
    ])
    let name = #"rxlocationd_bad_lines_total{kind="checksum"}"#
    try await process.wait(for: "two bad lines") { (try? value(name, in: scrape(port: port)) ?? 0) ?? 0 >= 2 }
    #expect(process.isRunning)
    process.send(signal: SIGTERM)
    #expect(try await process.waitUntilExit().status == 0)
  }
}
