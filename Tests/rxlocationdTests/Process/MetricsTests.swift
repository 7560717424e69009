import Foundation
import TestSupport
import Testing

/// `--metrics` as Prometheus would read it.
@Suite struct MetricsTests {
  private func get(_ path: String, port: UInt16) throws -> String {
    let client = try LoopbackSocket.client(port: port)
    #expect(client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n"))
    var answer: [UInt8] = []
    while let bytes = client.receive(within: 5), !bytes.isEmpty { answer += bytes }
    return String(decoding: answer, as: UTF8.self)
  }

  private func value(_ name: String, in text: String) -> Double? {
    text.split(whereSeparator: \.isNewline).first { $0.hasPrefix(name + " ") }.flatMap { line in
      line.split(separator: " ").last.flatMap { Double($0) }
    }
  }

  @Test func tellWhatTheReplayHasReported() async throws {
    let port = try LoopbackSocket.listener().port
    let process = try DaemonProcess([
      "replay", "Recordings/drive.nmea", "--speed", "50", "--metrics", "127.0.0.1:\(port)",
    ])
    try await process.wait(for: "locations") { process.output.split(separator: "\n").count > 20 }
    let text = try get("/metrics", port: port)
    #expect(text.hasPrefix("HTTP/1.1 200"))
    #expect(value("rxlocationd_locations_total", in: text) ?? 0 >= 20)
    #expect(value("rxlocationd_fix_mode", in: text) == 3)
    #expect(value("rxlocationd_satellites_used", in: text) == 15)
    #expect(value("rxlocationd_fix_age_seconds", in: text).map { $0 >= 0 } == true)
    #expect(value("rxlocationd_records_total{output=\"standard output\"}", in: text) ?? 0 >= 20)
    #expect(try get("/elsewhere", port: port).hasPrefix("HTTP/1.1 404"))
    process.send(signal: SIGTERM)
    #expect(try await process.waitUntilExit().status == 0)
  }
}
