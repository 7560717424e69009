import Foundation
import Testing
import TestSupport

@Suite(.startsPrograms) struct ReplayTests {
  private let folder = TemporaryFolder()

  private let recording = "Recordings/drive.nmea"

  private func golden(_ name: String) throws -> String { try Checkout.text("Recordings/\(name)") }

  @Test func theFirstLineSaysWhatRuns() async throws {
    let settings = try folder.write("journal \(folder.path("j"))\nmap 127.0.0.1:0\n", to: "x.conf")
    let result = try await DaemonProcess.run(
      ["replay", recording, "--speed", "max", "--config", settings, "--region-log", folder.path("r")])
    let first = try #require(result.messages.split(separator: "\n").first { $0.contains("version") })
    let words = try Regex(
      "^rxlocationd: version 0.2.0; settings of \(settings); source Recordings/drive.nmea; map http://127.0.0.1:[1-9][0-9]*/; "
        + "journal \(folder.path("j")); region log \(folder.path("r")); ndjson to standard output$")
    #expect(first.contains(words), "\(first)")
    let quiet = try await DaemonProcess.run(["replay", recording, "--speed", "max", "--log-level", "notice"])
    #expect(quiet.messages.isEmpty, "\(quiet.messages)")
  }

  @Test func printsTheRecordingsLocationsAndLogsItsRegions() async throws {
    let log = folder.path("regions")
    // With another output of regions, which have to be in each of them once.
    let outputs = ["--region-log", log, "--region-socket", "unix:\(folder.path("socket"))"]
    let result = try await DaemonProcess.run(
      ["replay", recording, "--speed", "max"] + outputs, status: 0, saying: "704")
    #expect(result.output == (try golden("drive.ndjson")))
    #expect(contents(log) == (try golden("drive.regions.ndjson")))
  }

  /// A receiver that drives stands still from the second minute to the third.
  @Test func aDoubtIsLoggedAndRecorded() async throws {
    let sentences = (0..<180).map { second in
      let minutes = 7 + Double(second / 60 == 1 ? 60 : second) * 0.0075
      let time = String(format: "12%02d%02d.00", second / 60, second % 60)
      let position = String(format: "480%.4f,N,01131.0000,E", minutes)
      return "$GPGGA,\(time),\(position),1,09,0.7,500,M,47,M,,\n$GPRMC,\(time),A,\(position),27.0,0.0,060526,,\n"
    }
    let path = try folder.write(sentences.joined(), to: "stuck.nmea")
    let result = try await DaemonProcess.run(["replay", path, "--speed", "max"], status: 0)
    let sentence = "the position stands still while a speed is reported, or the reverse"
    #expect(
      result.messages.components(separatedBy: "warning: the fix is in doubt: \(sentence)").count == 2,
      "\(result.messages)")
    #expect(result.messages.components(separatedBy: "notice: no longer in doubt: \(sentence)").count == 2)
    let doubted = result.lines.indices.filter { result.lines[$0].contains(#""doubts":"standstill""#) }
    #expect((85...105).contains(doubted.first ?? 0) && (130...160).contains(doubted.last ?? 0), "\(doubted)")
    #expect(result.output.components(separatedBy: "doubts").count == doubted.count + 1)
  }

  @Test func readsStandardInputAndSeveralFilesGzippedOrNot() async throws {
    let expected = try golden("drive.ndjson")
    let data = try Data(contentsOf: Checkout.file(recording))
    let piped = try await DaemonProcess.run(["replay", "-", "--speed", "max"], standardInput: data, status: 0)
    #expect(piped.lines.count == expected.split(separator: "\n").count)

    let packed = folder.path("drive.nmea.gz")
    try await DaemonProcess.bash("gzip -c $D >\(packed)", status: 0)
    let both = try await DaemonProcess.run(["replay", packed, recording, "--speed", "max"], status: 0)
    #expect(both.output.hasPrefix(expected.replacing("drive.nmea", with: "drive.nmea.gz")))
    #expect(both.output.components(separatedBy: "2026-05-06T23:54:00.000Z").count == 3)

    // What was good before the end is played.
    let gzipped = try Data(contentsOf: URL(filePath: packed))
    let cut = try await DaemonProcess.run(
      ["replay", "-", "--speed", "max"], standardInput: gzipped.prefix(gzipped.count / 2), status: 65,
      saying: "standard input: the gzip data end too early")
    #expect(cut.lines.count > 100)
  }

  @Test func keepsTheRecordedPace() async throws {
    let epochs = try Checkout.text(recording).components(separatedBy: "$GNRMC").prefix(11).joined(separator: "$GNRMC")
    let path = try folder.write(epochs, to: "ten.nmea")
    let start = ContinuousClock.now
    let result = try await DaemonProcess.run(["replay", path, "--speed", "5"])
    // Ten fixes a second apart, at five times their pace.
    #expect(ContinuousClock.now - start >= .seconds(1.75))
    #expect(result.lines.count == 10)
  }

  @Test func endsQuietlyWhenNobodyReadsAnyMore() async throws {
    let result = try await DaemonProcess.bash("$B replay $D --speed max | head -1; echo ${PIPESTATUS[0]}")
    #expect(result.lines.count == 2)
    #expect(result.lines.last == "0")
    #expect(!result.messages.lowercased().contains("error"))
    #expect(!result.messages.lowercased().contains("pipe"))
  }

  @Test func aLiveRunEndsWhenItsReaderHasGone() async throws {
    let process = try DaemonProcess(bash: "exec $B replay - > >(head -n 1)", keepsInputOpen: true)
    var index = 0
    try await process.wait(for: "the end") {
      process.write(NMEA.epoch(index))
      index += 1
      return !process.isRunning
    }
    let result = try await process.waitUntilExit(status: 0)
    #expect(result.lines.count == 1)
  }

  @Test func aSystemWithoutAFixDoesNotHideAnother() async throws {
    let epochs = (10..<13).map { second in
      NMEA.sentence("GNGNS,1200\(second).00,5130.0000,N,00007.5000,W,NDD,09,1.0,50.0,47.0,,")
        + NMEA.sentence("GNZDA,1200\(second).00,01,02,2026,00,00")
    }
    let path = try folder.write(epochs.joined(), to: "jammed.nmea")
    let result = try await DaemonProcess.run(["replay", path, "--speed", "max"])
    #expect(result.lines.count == 3)
  }

  @Test func aRecordingOfOneFixIsRepeatedAtAReceiversPace() async throws {
    let path = try folder.write(NMEA.epoch(0), to: "one.nmea")
    let start = ContinuousClock.now
    let process = try DaemonProcess(["replay", path, "--loop"])
    try await process.wait(for: "a third turn") { process.output.split(separator: "\n").count > 2 }
    #expect(ContinuousClock.now - start >= .seconds(1.75))
    try await process.terminate()
  }
}
