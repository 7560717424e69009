import Foundation
import Testing
import TestSupport

/// `run --record`, and what `replay`, `track` and `doctor` make of its file.
@Suite(.startsProgramsForLong) struct RecordTests {
  private let folder = TemporaryFolder()

  private struct Run: Equatable {
    var output: String
    var regions: String
  }

  private static let flags = ["--stale-after", "0.4", "--fence", "a=51.505,0.001,300", "--span", "2000"]

  /// Runs the daemon while `script` plays gpsd, then replays its record at each speed, and compares. Returns the live run.
  @discardableResult
  private func compare(
    port: UInt16, in folder: TemporaryFolder, speeds: [String] = ["max"], flags: [String] = Self.flags,
    environment: [String] = [], _ script: (DaemonProcess) async throws -> Void
  ) async throws -> DaemonProcess.Result {
    let (record, log) = (folder.path("gps.record"), folder.path("live"))
    let run = ["run", "--gpsd", "127.0.0.1:\(port)", "--record", record, "--region-log", log] + flags
    let process = try DaemonProcess("/usr/bin/env", environment + [DaemonProcess.executable.path] + run)
    try await script(process)
    let result = try await process.terminate()
    let live = Run(output: result.output, regions: contents(log))
    #expect(!live.output.isEmpty)
    for speed in speeds {
      let log = folder.path("replay-\(speed)")
      let replay = try await DaemonProcess.run(
        ["replay", record, "--speed", speed, "--region-log", log] + flags, status: 0)
      let again = Run(
        output: replay.output.replacing(#""simulated":true"#, with: #""simulated":false"#),
        regions: contents(log))
      #expect(again == live, "\(contents(record))")
    }
    return result
  }

  @Test(arguments: 0..<UInt64(runsLongTests ? 20 : 8)) func aReplayRepeatsARun(seed: UInt64) async throws {
    let gpsd = try ScriptedGPSD(seed: seed)
    try await compare(port: gpsd.port, in: folder, speeds: seed % 5 == 0 ? ["max", "20"] : ["max"]) {
      try await gpsd.play($0)
    }
  }

  @Test func aReplayRepeatsARunWhileTheHostsClockIsSet() async throws {
    let clock = try await HostClock(in: folder)
    let gpsd = try ScriptedGPSD(seed: 11)
    try await compare(port: gpsd.port, in: folder, speeds: ["max", "20"], environment: clock.environment) { process in
      for hours in [-2, 1] {
        try await gpsd.play(process)
        let losses = process.output.components(separatedBy: "no fix for").count
        gpsd.send(1)
        try clock.set(hoursAhead: hours)
        try await process.wait(for: "silence") { process.output.components(separatedBy: "no fix for").count > losses }
      }
      try await gpsd.play(process)
    }
    // The daemon's clock was set, and the source's went on.
    let record = contents(folder.path("gps.record"))
    #expect(record.prefix { $0 != "\n" }.contains(#""notBefore":""#))
    let steps = record.matches(of: /"CLOCK","step":(-?\d+)/).compactMap { Double($0.1) }
    #expect(steps.map { ($0 / 3.6e9).rounded() } == [-2, 3], "\(record)")
  }

  @Test(.enabled(if: RealGPSD.path != nil, "there is no gpsd on this host"))
  func aReplayRepeatsARunWithARealGPSD() async throws {
    let gpsd = try RealGPSD()
    var index = 0
    func play(_ process: DaemonProcess, _ count: Int, hasFix: Bool = true) async throws {
      let before = process.output.count
      try await process.wait(for: "records") {
        gpsd.feed(NMEA.epoch(index, hasFix: hasFix))
        index += 1
        return process.output.count > before && index % count == 0
      }
    }
    let live = try await compare(
      port: gpsd.port, in: folder, speeds: ["max", "100"],
      flags: ["--stale-after", "1", "--fence", "a=51.17,-0.125,500"]
    ) { process in
      try await process.wait(toSay: "connected to gpsd")
      try await play(process, 20)
      try await play(process, 5, hasFix: false)
      try await play(process, 10)
      gpsd.kill()
      try await process.wait(toSay: "was lost")
      try await process.wait(for: "an error") { process.output.contains("cannot reach gpsd") }
      try gpsd.start()
      try await process.wait(for: "the return") {
        process.messages.components(separatedBy: "connected to gpsd").count > 2
      }
      try await play(process, 10)
      // Silence.
      try await process.wait(for: "staleness") { process.output.components(separatedBy: "no fix for 1.0 s").count > 1 }
    }
    #expect(live.output.contains(#""type":"error""#))

    // Pieces, gzipped, are one record.
    let record = folder.path("gps.record")
    let pieces = "n=$(($(wc -l <$R) / 2)); head -n $n $R | gzip >$R.1.gz; tail -n +$((n + 1)) $R >$R.2"
    try await DaemonProcess.bash("R=\(record); \(pieces)", status: 0)
    let flags = ["--stale-after", "1", "--fence", "a=51.17,-0.125,500", "--speed", "max"]
    let again = try await DaemonProcess.run(["replay", record + ".1.gz", record + ".2"] + flags)
    #expect(again.output.replacing(#""simulated":true"#, with: #""simulated":false"#) == live.output)

    let track = try await DaemonProcess.run(["track", record, "--format", "csv"], status: 0)
    let locations = live.records("location")
    #expect(locations.count > 30)
    #expect(track.lines.count == 1 + locations.count)
  }

  @Test(.enabled(if: access("/usr/bin/gpspipe", X_OK) == 0 && RealGPSD.path != nil, "there is no gpspipe on this host"))
  func gpspipesFileIsARecord() async throws {
    let gpsd = try RealGPSD()
    let file = folder.path("pipe")
    let pipe = try DaemonProcess("/usr/bin/gpspipe", ["-w", "-uu", "-o", file, "127.0.0.1:\(gpsd.port)"])
    var index = 0
    try await pipe.wait(for: "fixes") {
      gpsd.feed(NMEA.epoch(index))
      index += 1
      return contents(file).components(separatedBy: #""lat""#).count > 20
    }
    pipe.send(signal: SIGTERM)
    _ = try await pipe.waitUntilExit()
    let replay = try await DaemonProcess.run(["replay", file, "--speed", "max"], status: 0)
    #expect(replay.lines.count >= 15, "\(replay.output)")
    #expect(replay.lines.allSatisfy { $0.contains(#""simulated":true"#) })
    try await DaemonProcess.run(["track", file], status: 0)
  }

  @Test func aKilledRunLosesAtMostTheLastSecond() async throws {
    let gpsd = try ScriptedGPSD(seed: 3)
    let record = folder.path("gps.record")
    let process = try DaemonProcess([
      "run", "--gpsd", "127.0.0.1:\(gpsd.port)", "--record", record, "--stale-after", "0.4",
    ])
    try await gpsd.play(process)
    try await process.wait(for: "the record of the last line", within: 20) {
      contents(record).components(separatedBy: #""class":"TPV""#).count == gpsd.sent + 1
    }
    try await process.wait(for: "the silence after it", within: 20) { contents(record).hasSuffix("\"silent\"}\n") }
    let live = try await process.terminate(SIGKILL, status: -SIGKILL)
    let replay = try await DaemonProcess.run(["replay", record, "--speed", "max", "--stale-after", "0.4"])
    #expect(replay.output.replacing(#""simulated":true"#, with: #""simulated":false"#) == live.output)

    // The next run cuts a torn line off and goes on.
    let text = contents(record)
    try (text + "1764124000.0").write(toFile: record, atomically: false, encoding: .utf8)
    let next = try DaemonProcess(["run", "--gpsd", "127.0.0.1:\(gpsd.port)", "--record", record])
    try await gpsd.play(next)
    try await next.terminate()
    let both = contents(record)
    #expect(both.hasPrefix(text) && both.components(separatedBy: "\"started\"").count == 3)
    try await DaemonProcess.run(["replay", record, "--speed", "max", "--strict"], status: 0)
  }

  @Test(.mounts) func aDiskThatWasFullHasTheWholeRecord() async throws {
    try #require(mount("tmpfs", folder.path, "tmpfs", 0, "size=512k") == 0)
    defer { umount2(folder.path, Int32(MNT_DETACH)) }
    let filler = try folder.write(String(repeating: "-", count: 480 << 10), to: "filler")
    let gpsd = try ScriptedGPSD(seed: 1)
    try await compare(port: gpsd.port, in: folder) { process in
      try await gpsd.connect(process)
      gpsd.send(300)
      try await process.wait(toSay: "gps.record cannot be written: No space")
      try FileManager.default.removeItem(atPath: filler)
      try await process.wait(toSay: "gps.record can be written again")
    }
  }

  @Test(.mounts) func aDiskThatStaysFullEndsWith74() async throws {
    try #require(mount("tmpfs", folder.path, "tmpfs", 0, "size=64k") == 0)
    defer { umount2(folder.path, Int32(MNT_DETACH)) }
    let gpsd = try ScriptedGPSD(seed: 1)
    let record = folder.path("gps.record")
    let process = try DaemonProcess(["run", "--gpsd", "127.0.0.1:\(gpsd.port)", "--record", record])
    try await gpsd.connect(process)
    gpsd.send(900)
    try await process.wait(for: "locations") { process.output.components(separatedBy: "\n").count > 900 }
    try await process.wait(toSay: "No space left on device")
    let result = try await process.terminate(status: 74)
    let kept = contents(record).components(separatedBy: #""TPV""#).count - 1
    #expect(kept > 300 && kept < 900)
    // Lines about the connection count as well.
    let dropped = try #require(result.messages.firstMatch(of: /(\d+) of \d+ records were not written/)).1
    #expect((900 - kept...910 - kept).contains(Int(dropped) ?? 0), "\(kept) kept: \(result.messages)")
  }

  /// A burst of lines is written together at its end, which is not the time that a broker has.
  @Test func aBrokerThatIsAwayCostsTheRecordNothing() async throws {
    let gpsd = try ScriptedGPSD(seed: 5)
    let (record, journal) = (folder.path("gps.record"), folder.path("journal.db"))
    let process = try DaemonProcess([
      "run", "--gpsd", "127.0.0.1:\(gpsd.port)", "--record", record, "--journal", journal, "--publish",
      "mqtt://127.0.0.1:1",
    ])
    try await gpsd.connect(process)
    gpsd.send(29)
    func count(_ text: String, _ part: String) -> Int { text.components(separatedBy: part).count - 1 }
    try await process.wait(for: "locations") { count(process.output, #""location""#) >= 29 }
    let result = try await process.terminate()
    let lines = contents(record)
    #expect(count(lines, #""TPV""#) == count(result.output, #""location""#))
    #expect(lines.hasSuffix("\"stopped\"}\n"), "\(lines.suffix(200))")
  }

  @Test func standardOutputInAFileIsNoRecord() async throws {
    for path in ["/dev/stdout", "$F", "'\(folder.path)/./out'"] {
      try await DaemonProcess.bash(
        "F='\(folder.path("out"))'; exec $B run --gpsd 127.0.0.1:9 --record \(path) >$F", status: 64,
        saying: "are the same destination")
      #expect(FileManager.default.contents(atPath: folder.path("out")) == Data())
    }
  }

  @Test func aRecordThatCannotBeCreatedIsRefused() async throws {
    let other = try folder.write("not a record\n", to: "notes")
    for (path, words) in [
      ("/nowhere/x", "there is no folder /nowhere"), (folder.path, "is a directory"),
      (other, "ends with a line that is not of a record"),
      ("/dev/null", "is not a file"),
    ] {
      try await DaemonProcess.run(["run", "--gpsd", "127.0.0.1:9", "--record", path], status: 73, saying: words)
    }
    #expect(contents(other) == "not a record\n")
  }

  @Test func recordsAndOtherRecordingsAreNotMixed() async throws {
    let record = try folder.write("1764124000.000001: {\"class\":\"TPV\",\"mode\":1}\n", to: "record")
    try await DaemonProcess.run(
      ["replay", record, "Recordings/drive.nmea", "--speed", "max"], status: 64, saying: "is a record of gpsd")
  }

  @Test(arguments: ["", #","notBefore":"2025-11-27T00:00:00.000Z""#])
  func datesAreJudgedAsInTheRun(notBefore: String) async throws {
    // The host did not know the time, so the record seems older than the program.
    let start = #"1000.000001: {"class":"CONNECTION","state":"started","server":"localhost"\#(notBefore)}"# + "\n"
    let lines = (10..<59).map {
      "10\($0).000001: "
        + #"{"class":"TPV","device":"/dev/a","time":"2025-11-26T02:26:\#($0).000Z","mode":3,"lat":51.5,"lon":-0.125}"#
        + "\n"
    }
    let path = try folder.write(start + lines.joined(), to: "record")
    let replay = try await DaemonProcess.run(["replay", path, "--speed", "max"])
    #expect(replay.lines.count == lines.count, "\(replay.messages)")
    #expect(replay.output.contains(#""doubts":"date""#) == !notBefore.isEmpty)
  }

  @Test func trackReadsARecord() async throws {
    let lines = (10..<20).map {
      "17641240\($0).000001: "
        + #"{"class":"TPV","device":"/dev/a","time":"2025-11-26T02:26:\#($0).000Z","mode":3,"lat":51.5\#($0),"lon":-0.125}"#
        + "\n"
    }
    let track = try await DaemonProcess.run(
      ["track", try folder.write(lines.joined(), to: "good"), "--format", "csv"], status: 0)
    #expect(track.lines.filter { $0.contains("/dev/a") }.count == 10)
    let torn = try folder.write(lines.joined() + "17641240", to: "torn")
    try await DaemonProcess.run(["track", torn, "--format", "csv"], status: 65, saying: "1 damaged (torn:11)")
  }

  /// A run with filters, whose record has become pieces.
  private func filtered() async throws -> (settings: String, record: String) {
    let (record, journal) = (folder.path("gps.record"), folder.path("journal.db"))
    let gpsd = try ScriptedGPSD(seed: 1)
    let settings = try folder.write(
      "gpsd 127.0.0.1:\(gpsd.port)\nrecord \(record)\njournal \(journal)\nmax-speed 50\nhold 20\nsimplify 5\n",
      to: "rxlocationd.conf")
    let process = try DaemonProcess(["run", "--config", settings])
    try await gpsd.connect(process)
    gpsd.send(9)
    gpsd.send(1, at: #""mode":3,"lat":52.5,"lon":0.001"#)
    gpsd.send(10)
    try await process.wait(for: "records") { process.output.components(separatedBy: #""location""#).count > 19 }
    try await process.terminate()
    // The second piece is plain, as it is before it is compressed.
    let pieces = "head -n 8 $R | gzip >$R.000001.gz; sed -n 9,14p $R >$R.000002; : >$R.000002.gz.part; sed -i 1,14d $R"
    try await DaemonProcess.bash("R=\(record); \(pieces)", status: 0)
    return (settings, record)
  }

  @Test func aRecordIsReadWithItsPiecesAndShowsWhatTheOutputsDidNotGet() async throws {
    let (settings, record) = try await filtered()
    let csv = ["track", "--format", "csv", "--config", settings]
    let journal = try await DaemonProcess.run(csv, status: 0)
    #expect(!journal.output.contains(",52.5,"))
    for arguments in [["--config", settings], ["--record", record]] {
      let raw = try await DaemonProcess.run(["track", "--format", "csv", "--raw"] + arguments, status: 0)
      #expect(raw.messages.isEmpty, "\(raw.messages)")
      #expect(raw.lines.count == 21 && raw.lines.count { $0.contains(",52.5,") } == 1, "\(raw.output)")
    }
    // The pieces are one way.
    let summary = try await DaemonProcess.run(["track", "--raw", "--format", "json", "--record", record])
    #expect(summary.output.contains(#""segments":1,"#), "\(summary.output)")
    // A file has only what it has.
    let held = try folder.write(
      #"{"type":"location","time":"2026-05-06T00:00:00Z","latitude":48,"longitude":9,"held":true}"#, to: "held.ndjson")
    let words = "1 position was held by --hold; a record of gpsd has the measured ones"
    let file = try await DaemonProcess.run(csv + ["--raw", held], status: 0, saying: words)
    #expect(file.lines.count == 2)

    func replay(_ files: String...) async throws -> DaemonProcess.Result {
      try await DaemonProcess.run(["replay"] + files + ["--speed", "max"])
    }
    let all = try await replay(record)
    #expect(all.lines.count == 20 && all.status == 0 && !all.messages.contains("piece"), "\(all.messages)")
    let some = try await replay(record + ".000001.gz", record)
    #expect(some.lines.count < 20 && some.messages.contains("piece \(record).000002 is not among"), "\(some.messages)")
    try FileManager.default.moveItem(atPath: record + ".000002", toPath: record + ".000003")
    for result in [try await replay(record), try await DaemonProcess.run(["track", "--raw", "--record", record])] {
      #expect(result.messages.contains("piece \(record).000002 is not among"), "\(result.messages)")
    }
  }
}
