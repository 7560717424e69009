import Foundation
import Testing
import TestSupport

@Suite(.startsPrograms) struct SignalTests {
  private let folder = TemporaryFolder()

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
    try await process.wait(toSay: "reloaded")
    try await process.wait(for: "a new log") { !contents(log).isEmpty }
    // Those of before the reload come first.
    let both = try await reader.lines { lines in lines.last.map { span($0) > 1.5 * span(narrow[0]) } == true }

    // A wrong file changes nothing, and is reported.
    _ = try folder.write("span wide\n", to: "x.conf")
    process.send(signal: SIGHUP)
    try await process.wait(toSay: "x.conf:1: The value 'wide' is invalid for 'span")
    let count = both.count
    let after = try await reader.lines(atLeast: count + 5)
    #expect(span(after[after.count - 1]) > 1.5 * span(narrow[0]))
    try await process.terminate()
  }

  private func span(_ line: String) -> Double {
    let record = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    return (record?["span"] as? [String: Double])?["latitudeDelta"] ?? .nan
  }

  @Test func hangupTakesFiltersAndFencesOver() async throws {
    // The recording's first fix is the only one that passes, in each turn.
    let settings = try folder.write("accuracy 0.001\ndistance-filter 40000000\n", to: "x.conf")
    let log = folder.path("regions")
    let process = try DaemonProcess([
      "replay", recording, "--speed", "400", "--loop", "--config", settings, "--log-level", "debug", "--region-log",
      log,
    ])
    try await process.wait(for: "its handlers") { FileManager.default.fileExists(atPath: log) }
    #expect(Set(process.records("location").map { $0["time"] as? String }).count <= 1)
    func reload(_ text: String, _ count: Int) async throws {
      try folder.write(text, to: "x.conf")
      process.send(signal: SIGHUP)
      try await process.wait(for: "reload \(count)") {
        process.messages.components(separatedBy: "reloaded").count > count
      }
    }
    try await reload("", 1)
    try await process.wait(for: "locations") { process.records("location").count > 30 }

    try folder.write("fence a=200,0,5\n", to: "x.conf")
    try FileManager.default.moveItem(atPath: log, toPath: log + ".1")
    process.send(signal: SIGHUP)
    try await process.wait(toSay: "x.conf:1: The value 'a=200,0,5' is invalid for 'fence")
    // What logrotate asks for does not depend on the settings.
    try await process.wait(for: "another region log") { FileManager.default.fileExists(atPath: log) }
    func crossings(_ name: String) -> Int { process.records("fence").count { $0["fence"] as? String == name } }
    try await reload("fence a=37.774773,-122.398078,300\n", 2)
    try await process.wait(for: "a crossing") { crossings("a") > 0 }
    try await reload("fence b=37.774773,-122.398078,300\n", 3)
    try await process.wait(for: "a crossing of the other") { crossings("b") > 0 }
    let (before, other) = (crossings("a"), crossings("b"))
    try await process.wait(for: "two more crossings") { crossings("b") >= other + 2 }
    #expect(crossings("a") == before)

    // A pipe in place of the file stops nothing.
    try FileManager.default.removeItem(atPath: settings)
    #expect(mkfifo(settings, 0o600) == 0)
    process.send(signal: SIGHUP)
    try await process.wait(toSay: "\(settings): is not a regular file")
    let count = process.records("location").count
    try await process.wait(for: "more locations") { process.records("location").count > count + 5 }
    let result = try await process.terminate()
    #expect(!result.messages.contains("restart the daemon"), "\(result.messages)")
  }

  @Test func terminationWritesOutWhatWasReceivedAndAUserSignalPrintsTheState() async throws {
    let log = folder.path("regions")
    let process = try DaemonProcess(["replay", recording, "--speed", "100", "--loop", "--region-log", log])
    try await process.wait(for: "locations") { process.records("location").count > 50 }
    process.send(signal: SIGUSR1)
    for words in ["3D fix, ±", "satellites; ", " to the region log, 0 dropped"] { try await process.wait(toSay: words) }
    let result = try await process.terminate()
    #expect(result.output.hasSuffix("}\n"))
    #expect(result.records("location").count == contents(log).split(separator: "\n").count)
  }

  @Test func hangupTakesTheStaleLimitOverSaysWhatNeedsARestartAndLeavesNothingOpen() async throws {
    let start = "span 1000\nlog-level info\nreader-limit 5\nstale-after 3600\n"
    let settings = try folder.write(start, to: "x.conf")
    let process = try DaemonProcess(["replay", "-", "--reader-limit", "3", "--config", settings], keepsInputOpen: true)
    process.feed(0..<3)
    try await process.wait(for: "locations") { !process.records("location").isEmpty }
    func reload(_ count: Int) async throws {
      process.send(signal: SIGHUP)
      try await process.wait(for: "a reload") { process.messages.components(separatedBy: "reloaded").count > count }
    }
    try await reload(1)
    let descriptors = process.usage.descriptors
    for count in 2...6 { try await reload(count) }
    #expect(process.usage.descriptors <= descriptors)
    let other = "span 2000\nlog-level error\nreader-limit 6\nstale-after 0.2\nformat csv\ngpsd a:1\n"
    try folder.write(other, to: "x.conf")
    try await reload(7)
    // A replay has no gpsd, and the flag wins over the file's reader-limit.
    try await process.wait(toSay: "warning: format, log-level: changed in the file")
    try await process.wait(for: "an error") { process.output.contains(#""code":"locationUnknown""#) }
    try await process.terminate()
  }

  @Test func aConfigurationThroughAPipeIsReadOnceAndSignalsMeanwhileAreNoEnd() async throws {
    let (settings, socket) = (folder.path("x.conf"), folder.path("s"))
    #expect(mkfifo(settings, 0o600) == 0)
    let process = try DaemonProcess(
      ["replay", "-", "--config", settings, "--region-socket", "unix:\(socket)"], keepsInputOpen: true)
    try await process.wait(for: "its handlers") { process.survives(SIGHUP) && process.survives(SIGUSR1) }
    // There is no state to print yet.
    for number in [SIGUSR1, SIGHUP] { process.send(signal: number) }
    // Opened for both, so that this does not wait.
    let pipe = open(settings, O_RDWR | O_CLOEXEC)
    #expect(write(pipe, "span 1000\n", 10) == 10)
    // The program reads up to the end.
    #expect(await eventually { process.has(open: settings) })
    close(pipe)
    // That of the early hangup.
    let refusal = "is not a regular file, so it cannot be read again"
    try await process.wait(toSay: refusal)
    let reader = try await SocketReader(unix: socket)
    process.feed(0..<3)
    let first = try await reader.lines(atLeast: 1)
    #expect(abs(span(first[0]) - 0.009) < 0.0001)
    process.send(signal: SIGHUP)
    try await process.wait(for: "a second refusal") { process.messages.components(separatedBy: refusal).count == 3 }
    try await process.wait(toSay: "the settings are unchanged")
    process.feed(3..<6)
    let later = try await reader.lines(atLeast: first.count + 2)
    #expect(span(later[later.count - 1]) == span(first[0]))
    try await process.terminate()
  }

  @Test func theStateCountsSatellitesWithoutAFix() async throws {
    // The state is asked for once the process listens, which a busy machine delays: this is no silence of the receiver.
    let process = try DaemonProcess(["replay", "-", "--stale-after", "3600"], keepsInputOpen: true)
    let satellites = NMEA.sentence("GPGSV,1,1,02,01,40,083,46,02,17,308,41")
    process.write((0..<3).map { NMEA.epoch($0, hasFix: false) + satellites }.joined())
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
    let client = try listener.accept()
    try await process.terminate(status: -SIGTERM)
    withExtendedLifetime(client) {}
  }

  @Test func terminationWhileItStarts() async throws {
    for step in 0..<(runsLongTests ? 40 : 20) {
      let number = step.isMultiple(of: 2) ? SIGTERM : SIGINT
      let process = try DaemonProcess(["--gpsd", "127.0.0.1:9"])
      // The dynamic loader of a debug build comes before any code of the program's: the count begins behind it.
      try #require(await eventually { process.survives(number) || !process.isRunning })
      usleep(UInt32(step) * (runsLongTests ? 500 : 1000))
      process.send(signal: number)
      #expect(try await process.waitUntilExit().status == 0, "\(step)")
    }
  }

  @Test func aHangupWhileItStartsIsNoEnd() async throws {
    for step in 0..<10 {
      let process = try DaemonProcess(["replay", recording, "--speed", "max"])
      try #require(await eventually { process.survives(SIGHUP) || !process.isRunning })
      // Each run gets the signal a millisecond later, so that it comes at many moments of the start.
      usleep(UInt32(step) * 1000)
      process.send(signal: SIGHUP)
      let result = try await process.waitUntilExit(status: 0)
      #expect(result.lines.count > 700)
    }
  }
}
