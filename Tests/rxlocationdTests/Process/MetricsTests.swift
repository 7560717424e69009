import Foundation
import Testing
import TestSupport

/// `--metrics` as Prometheus would read it.
@Suite(.startsPrograms) struct MetricsTests {
  @Test func tellWhatTheReplayHasReportedAndKept() async throws {
    let folder = TemporaryFolder()
    let port = LoopbackSocket.unusedPort()
    var lines = try Checkout.text("Recordings/drive.nmea").components(separatedBy: "\r\n")
    for line in [26, 40] { lines.insert("$GPRMC,broken*00", at: line) }
    let process = try DaemonProcess([
      "replay", try folder.write(lines.joined(separator: "\r\n"), to: "x.nmea"), "--speed", "50", "--loop", "--metrics",
      "127.0.0.1:\(port)", "--journal", folder.path("journal.db"),
    ])
    try await process.wait(for: "rows") { metric("rxlocationd_journal_rows_total", port: port) ?? 0 >= 20 }
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
    for name in ["dropped_records_total", "unread_rows_total", "failures_total"] {
      #expect(value("rxlocationd_journal_\(name)", in: text) == 0, "\(name)")
    }
    #expect(value("rxlocationd_journal_bytes", in: text) ?? 0 >= 4096)
    // They are counted while the replay runs.
    #expect(value(#"rxlocationd_bad_lines_total{kind="checksum"}"#, in: text) ?? 0 >= 2)
    #expect(value(#"rxlocationd_bad_lines_total{kind="malformed"}"#, in: text) == 0)
    #expect(try scrape("/elsewhere", port: port).hasPrefix("HTTP/1.1 404"))
    process.send(signal: SIGUSR1)
    try await process.wait(toSay: " to the journal, 0 dropped")
    try await process.terminate()
  }

  /// A reader that stops for a while, and then reads all that is left for it.
  @Test func whatASlowReaderMissedIsSaidAtTheEnd() async throws {
    let folder = TemporaryFolder()
    let pipe = folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let server = try LoopbackSocket.listener()
    let port = LoopbackSocket.unusedPort()
    let reader = open(pipe, O_RDONLY | O_NONBLOCK)
    let process = try DaemonProcess(bash: "exec $B --gpsd 127.0.0.1:\(server.port) --metrics \(port) >'\(pipe)'")
    let gpsd = try DaemonProcess.greeted(server)
    func dropped() -> Double? { metric(#"rxlocationd_dropped_records_total{output="standard output"}"#, port: port) }
    #expect(dropped() == 0)
    // More reports than the output's buffer holds.
    var count = 0
    try await process.wait(for: "lost records") {
      let reports = (0..<2000).map { _ in
        count += 1
        let latitude = Double(count % 80_000) / 1000
        return #"{"class":"TPV","device":"/dev/a","mode":3,"lat":\#(latitude),"lon":2}"# + "\n"
      }
      gpsd.send(reports.joined())
      return dropped() ?? 0 > 0
    }
    #expect(value("rxlocationd_locations_total", in: try scrape(port: port)) ?? 0 > 0)
    _ = fcntl(reader, F_SETFL, 0)
    Thread.detachNewThread {
      var bytes = [UInt8](repeating: 0, count: 65_536)
      while read(reader, &bytes, bytes.count) > 0 {}
      close(reader)
    }
    try await process.terminate(status: 74, saying: "because it was too slow or failed for a while")
  }
}

func scrape(_ path: String = "/metrics", port: UInt16) throws -> String {
  let client = try LoopbackSocket.client(port: port)
  guard client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n") else { throw SupportError("cannot ask") }
  var answer: [UInt8] = []
  while let bytes = client.receive(), !bytes.isEmpty { answer += bytes }
  return String(decoding: answer, as: UTF8.self)
}

func value(_ name: String, in text: String) -> Double? {
  text.split(whereSeparator: \.isNewline).first { $0.hasPrefix(name + " ") }.flatMap { line in
    line.split(separator: " ").last.flatMap { Double($0) }
  }
}

/// The value of a metric of the program; `nil` while it has none.
func metric(_ name: String, port: UInt16) -> Double? { (try? scrape(port: port)).flatMap { value(name, in: $0) } }
