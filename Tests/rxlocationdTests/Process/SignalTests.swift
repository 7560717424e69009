import Foundation
import Testing
import TestSupport

/// What signals do to a running daemon.
@Suite(.startsPrograms) struct SignalTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private let recording = "Recordings/drive.nmea"

  @Test func hangupReadsTheSettingsAgainAndKeepsReaders() async throws {
    let log = folder.path("regions")
    let settings = try folder.write("span 1000\nregion-log \(log)\n", to: "x.conf")
    let socket = folder.path("socket")
    let process = try DaemonProcess([
      "replay", recording, "--speed", "20", "--loop", "--config", settings, "--region-socket", "unix:\(socket)",
    ])
    let reader = try await SocketReader(unix: socket)
    let narrow = try await reader.lines(atLeast: 5)

    try FileManager.default.moveItem(atPath: log, toPath: log + ".1")
    _ = try folder.write("span 2000\nregion-log \(log)\n", to: "x.conf")
    process.send(signal: SIGHUP)
    try await process.wait(for: "the reload") { process.messages.contains("reloaded") }
    try await process.wait(for: "a new log") { (try? Data(contentsOf: URL(fileURLWithPath: log)))?.isEmpty == false }
    // Those of before the reload come first.
    let both = try await reader.lines { lines in lines.last.map { span($0) > 1.5 * span(narrow[0]) } == true }

    // A wrong file changes nothing, and is reported.
    _ = try folder.write("span wide\n", to: "x.conf")
    process.send(signal: SIGHUP)
    try await process.wait(for: "a complaint") {
      process.messages.contains("x.conf:1: The value 'wide' is invalid for 'span")
    }
    let count = both.count
    let after = try await reader.lines(atLeast: count + 5)
    #expect(span(after[after.count - 1]) > 1.5 * span(narrow[0]))
    try await process.terminate()
  }

  private func span(_ line: String) -> Double {
    let record = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    return (record?["span"] as? [String: Double])?["latitudeDelta"] ?? .nan
  }

  @Test func hangupTakesFencesOver() async throws {
    let settings = try folder.write("", to: "x.conf")
    let log = folder.path("regions")
    let process = try DaemonProcess([
      "replay", recording, "--speed", "40", "--loop", "--config", settings, "--log-level", "debug", "--region-log", log,
    ])
    try await process.wait(for: "locations") { process.output.split(separator: "\n").count > 20 }
    _ = try folder.write("fence a=200,0,5\n", to: "x.conf")
    try FileManager.default.moveItem(atPath: log, toPath: log + ".1")
    process.send(signal: SIGHUP)
    try await process.wait(for: "a complaint") {
      process.messages.contains("x.conf:1: The value 'a=200,0,5' is invalid for 'fence")
    }
    // What logrotate asks for does not depend on the settings.
    try await process.wait(for: "another region log") { FileManager.default.fileExists(atPath: log) }
    _ = try folder.write("fence a=37.7859,-122.4037,300\n", to: "x.conf")
    process.send(signal: SIGHUP)
    try await process.wait(for: "the reload") { process.messages.contains("reloaded") }
    try await process.wait(for: "a crossing") { process.output.contains(#""type":"fence""#) }
    #expect(!process.messages.contains("restart the daemon"), "\(process.messages)")
    try await process.terminate()
  }

  @Test func userSignalPrintsTheState() async throws {
    let process = try DaemonProcess([
      "replay", recording, "--speed", "20", "--loop", "--region-log", folder.path("regions"),
    ])
    try await process.wait(for: "locations") { process.output.split(separator: "\n").count > 5 }
    process.send(signal: SIGUSR1)
    try await process.wait(for: "the state") { process.messages.contains("3D fix, ±") }
    try await process.wait(toSay: "satellites; ")
    try await process.wait(toSay: " to the region log, 0 dropped")
    process.send(signal: SIGINT)
    #expect(try await process.waitUntilExit().status == 0)
  }

  @Test func terminationWritesOutWhatWasReceived() async throws {
    let log = folder.path("regions")
    let process = try DaemonProcess(["replay", recording, "--speed", "100", "--region-log", log])
    try await process.wait(for: "locations") { process.output.split(separator: "\n").count > 50 }
    let result = try await process.terminate()
    #expect(result.output.hasSuffix("}\n"))
    let locations = result.lines.count { $0.contains(#""type":"location""#) }
    let regions = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").count
    #expect(locations == regions)
  }

  /// Locations that have come so far.
  private func locations(_ process: DaemonProcess) -> Int {
    process.output.split(separator: "\n").count { $0.hasPrefix(#"{"type":"location""#) }
  }

  @Test(arguments: ["accuracy 0.001", "distance-filter 40000000"])
  func hangupTakesFiltersOver(filter: String) async throws {
    let settings = try folder.write(filter + "\n", to: "x.conf")
    let log = folder.path("regions")
    let process = try DaemonProcess([
      "replay", recording, "--speed", "40", "--loop", "--config", settings, "--region-log", log,
    ])
    try await process.wait(for: "its handlers") { FileManager.default.fileExists(atPath: log) }
    // At each turn's beginning, one.
    #expect(locations(process) <= 5)
    _ = try folder.write("", to: "x.conf")
    process.send(signal: SIGHUP)
    try await process.wait(for: "the reload") { process.messages.contains("reloaded") }
    try await process.wait(for: "locations") { locations(process) > 30 }
    #expect(!process.messages.contains("restart the daemon"), "\(process.messages)")
    try await process.terminate()
  }

  @Test func hangupLeavesNothingOpen() async throws {
    let settings = try folder.write("span 1000\n", to: "x.conf")
    let process = try DaemonProcess(["replay", "-", "--config", settings], keepsInputOpen: true)
    process.write(Data((0..<3).map { NMEA.epoch($0) }.joined().utf8))
    try await process.wait(for: "locations") { locations(process) > 0 }
    func reload(_ count: Int) async throws {
      process.send(signal: SIGHUP)
      try await process.wait(for: "a reload") { process.messages.components(separatedBy: "reloaded").count > count }
    }
    try await reload(1)
    let descriptors = process.descriptors
    for count in 2...6 { try await reload(count) }
    #expect(process.descriptors <= descriptors)
    try await process.terminate()
  }

  @Test func hangupTakesTheStaleLimitOver() async throws {
    let settings = try folder.write("stale-after 3600\n", to: "x.conf")
    let process = try DaemonProcess(["replay", "-", "--config", settings], keepsInputOpen: true)
    process.write(Data((0..<3).map { NMEA.epoch($0) }.joined().utf8))
    try await process.wait(for: "locations") { locations(process) > 0 }
    _ = try folder.write("stale-after 0.2\n", to: "x.conf")
    process.send(signal: SIGHUP)
    try await process.wait(for: "the reload") { process.messages.contains("reloaded") }
    try await process.wait(for: "an error") { process.output.contains(#""code":"locationUnknown""#) }
    try await process.terminate()
  }

  @Test func hangupSaysWhatNeedsARestart() async throws {
    let settings = try folder.write("span 1000\nlog-level info\nreader-limit 5\n", to: "x.conf")
    let process = try DaemonProcess(["replay", "-", "--reader-limit", "3", "--config", settings], keepsInputOpen: true)
    process.write(Data((NMEA.epoch(0) + NMEA.epoch(1)).utf8))
    try await process.wait(for: "locations") { locations(process) > 0 }
    _ = try folder.write("span 2000\nlog-level error\nreader-limit 6\nformat csv\ngpsd a:1\n", to: "x.conf")
    process.send(signal: SIGHUP)
    try await process.wait(for: "the reload") { process.messages.contains("reloaded") }
    // A replay has no gpsd, and the flag wins over the file's reader-limit.
    try await process.wait(toSay: "warning: format, log-level: changed in the file")
    try await process.terminate()
  }

  @Test func aConfigurationThroughAPipeIsReadOnce() async throws {
    let command = """
      exec '\(DaemonProcess.executable.path)' replay - --region-socket unix:'\(folder.path("s"))' \
        --config <(echo span 1000)
      """
    let process = try DaemonProcess("/bin/bash", ["-c", command], keepsInputOpen: true)
    let reader = try await SocketReader(unix: folder.path("s"))
    process.write(Data((0..<3).map { NMEA.epoch($0) }.joined().utf8))
    let first = try await reader.lines(atLeast: 1)
    #expect(abs(span(first[0]) - 0.009) < 0.0001)
    process.send(signal: SIGHUP)
    try await process.wait(for: "a refusal") {
      process.messages.contains("is not a regular file, so it cannot be read again")
    }
    try await process.wait(toSay: "the settings are unchanged")
    process.write(Data((3..<6).map { NMEA.epoch($0) }.joined().utf8))
    let later = try await reader.lines(atLeast: first.count + 2)
    #expect(span(later[later.count - 1]) == span(first[0]))
    try await process.terminate()
  }

  @Test func aPipeInPlaceOfTheConfigurationStopsNothing() async throws {
    let settings = try folder.write("span 1000\n", to: "x.conf")
    let process = try DaemonProcess(["replay", recording, "--speed", "40", "--loop", "--config", settings])
    try await process.wait(for: "locations") { locations(process) > 0 }
    try FileManager.default.removeItem(atPath: settings)
    #expect(mkfifo(settings, 0o600) == 0)
    process.send(signal: SIGHUP)
    try await process.wait(for: "a refusal") { process.messages.contains("\(settings): is not a regular file") }
    let count = locations(process)
    try await process.wait(for: "more locations") { locations(process) > count + 5 }
    try await process.terminate()
  }

  @Test func aFenceThatHasGoneFromTheFileIsNotWatchedAnyMore() async throws {
    let settings = try folder.write("fence a=37.774773,-122.398078,300\n", to: "x.conf")
    let process = try DaemonProcess(["replay", recording, "--speed", "400", "--loop", "--config", settings])
    func crossings(_ name: String) -> Int {
      process.output.split(separator: "\n").count { $0.contains(#""fence":"\#(name)""#) }
    }
    try await process.wait(for: "a crossing") { crossings("a") > 0 }
    _ = try folder.write("fence b=37.774773,-122.398078,300\n", to: "x.conf")
    process.send(signal: SIGHUP)
    try await process.wait(for: "a crossing of the other") { crossings("b") > 0 }
    let before = crossings("a")
    let other = crossings("b")
    try await process.wait(for: "two more crossings") { crossings("b") >= other + 2 }
    #expect(crossings("a") == before)
    try await process.terminate()
  }

  @Test func theStateCountsSatellitesWithoutAFix() async throws {
    // The state is asked for once the process listens, which a busy machine delays: this is no silence of the receiver.
    let process = try DaemonProcess(["replay", "-", "--stale-after", "3600"], keepsInputOpen: true)
    let satellites = NMEA.sentence("GPGSV,1,1,02,01,40,083,46,02,17,308,41")
    process.write(Data((0..<3).map { NMEA.epoch($0, hasFix: false) + satellites }.joined().utf8))
    try await process.wait(for: "its handlers") { process.survives(SIGUSR1) }
    try await process.wait(for: "the state") {
      process.send(signal: SIGUSR1)
      return process.messages.contains("no fix, 2 satellites seen, 0 used; ")
    }
    try await process.terminate()
  }

  /// Its status of 0 says that there is a fix.
  @Test func aDoctorWhoIsInterruptedDoesNotSayThatAllIsWell() async throws {
    let listener = try LoopbackSocket.listener()
    let process = try DaemonProcess(["doctor", "--gpsd", "127.0.0.1:\(listener.port)", "--timeout", "60"])
    var client: LoopbackSocket?
    try await process.wait(for: "connection") {
      client = try? listener.accept(within: 0)
      return client != nil
    }
    process.send(signal: SIGTERM)
    #expect(try await process.waitUntilExit().status == -SIGTERM)
    withExtendedLifetime(client) {}
  }

  @Test func terminationWhileItStarts() async throws {
    for step in 0..<40 {
      let number = step.isMultiple(of: 2) ? SIGTERM : SIGINT
      let process = try DaemonProcess(["--gpsd", "127.0.0.1:9"])
      // The dynamic loader of a debug build comes before any code of the program's: the count begins behind it.
      try #require(await eventually { process.survives(number) || !process.isRunning })
      usleep(UInt32(step) * 500)
      process.send(signal: number)
      #expect(try await process.waitUntilExit().status == 0, "\(step)")
    }
  }

  @Test func aHangupWhileTheSettingsAreReadReadsThemAgain() async throws {
    let settings = folder.path("x.conf")
    #expect(mkfifo(settings, 0o600) == 0)
    let process = try DaemonProcess(["replay", "-", "--config", settings], keepsInputOpen: true)
    try await process.wait(for: "its handlers") { process.survives(SIGHUP) }
    process.send(signal: SIGHUP)
    // Opened for both, so that this does not wait.
    let pipe = open(settings, O_RDWR | O_CLOEXEC)
    #expect(write(pipe, "span 1000\n", 10) == 10)
    // The program reads up to the end.
    #expect(await eventually { process.has(open: settings) })
    close(pipe)
    try await process.wait(for: "a refusal") {
      process.messages.contains("is not a regular file, so it cannot be read again")
    }
    try await process.terminate()
  }

  /// There is no state to print yet.
  @Test func aUserSignalWhileTheSettingsAreReadIsNoEnd() async throws {
    let settings = folder.path("x.conf")
    #expect(mkfifo(settings, 0o600) == 0)
    let process = try DaemonProcess(["replay", "-", "--config", settings])
    try await process.wait(for: "its handlers") { process.survives(SIGUSR1) }
    process.send(signal: SIGUSR1)
    try await process.terminate()
  }

  @Test func aHangupWhileItStartsIsNoEnd() async throws {
    for step in 0..<10 {
      let process = try DaemonProcess(["replay", recording, "--speed", "max"])
      try #require(await eventually { process.survives(SIGHUP) || !process.isRunning })
      // Each run gets the signal a millisecond later, so that it comes at many moments of the start.
      usleep(UInt32(step) * 1000)
      process.send(signal: SIGHUP)
      let result = try await process.waitUntilExit()
      #expect(result.status == 0)
      #expect(result.lines.count > 700)
    }
  }
}
