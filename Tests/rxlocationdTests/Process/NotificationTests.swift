import Foundation
import Testing
import TestSupport

/// What a service manager hears from the running program, and what Prometheus reads, at every transition.
@Suite(.startsPrograms, .timeLimit(.minutes(30))) struct NotificationTests {
  /// A manager that keeps what came, and when.
  private final class Manager {
    let folder = TemporaryFolder()
    private let socket: NotifySocket
    private(set) var messages: [(text: String, time: ContinuousClock.Instant)] = []

    init() throws { socket = NotifySocket(path: folder.path("notify")) }

    /// The messages so far, without the watchdog's.
    var texts: [String] {
      receive()
      return messages.map(\.text).filter { $0 != "WATCHDOG=1" }
    }

    var status: String? { texts.last { $0.hasPrefix("STATUS=") }.map { String($0.dropFirst("STATUS=".count)) } }

    func receive() {
      while let text = socket.receive() { messages.append((text, .now)) }
    }

    func start(
      _ arguments: [String], environment: [String] = [], keepsInputOpen: Bool = false
    ) throws -> DaemonProcess {
      try DaemonProcess(
        "/usr/bin/env", ["NOTIFY_SOCKET=\(socket.path)"] + environment + [DaemonProcess.executable.path] + arguments,
        keepsInputOpen: keepsInputOpen)
    }
  }

  @Test func startReloadWatchdogAndEnd() async throws {
    let manager = try Manager()
    let settings = try manager.folder.write("", to: "settings")
    let process = try manager.start(
      ["--gpsd", "127.0.0.1:9", "--config", settings, "--region-socket", "unix:\(manager.folder.path("s"))"],
      environment: ["WATCHDOG_USEC=800000"])
    try await process.wait(for: "READY") { manager.texts.contains("READY=1") }
    // What is ready can be used.
    #expect(access(manager.folder.path("s"), F_OK) == 0)
    try await process.wait(for: "the status") {
      manager.status?.hasPrefix("no gpsd at 127.0.0.1:9, next try in") == true
    }

    process.send(signal: SIGHUP)
    try await process.wait(for: "READY after the reload") { manager.texts.count { $0 == "READY=1" } == 2 }
    let reloading = try #require(manager.texts.firstIndex { $0.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") })
    #expect(manager.texts.lastIndex(of: "READY=1") ?? 0 > reloading)

    // A reload that changes nothing is over, too.
    try manager.folder.write("span wide\n", to: "settings")
    process.send(signal: SIGHUP)
    try await process.wait(for: "the complaint") {
      // The socket holds ten messages, and what comes then is dropped.
      manager.receive()
      return process.messages.contains("the settings are unchanged")
    }
    try await process.wait(for: "READY after that") { manager.texts.count { $0 == "READY=1" } == 3 }

    // The manager gets a sign of life twice as often as it wants one.
    try await process.wait(for: "the watchdog") {
      manager.receive()
      return manager.messages.count { $0.text == "WATCHDOG=1" } >= 5
    }
    let times = manager.messages.filter { $0.text == "WATCHDOG=1" }.map(\.time)
    let pauses = zip(times.dropFirst(), times).map { $0 - $1 }.sorted()
    #expect(pauses[pauses.count / 2] < .seconds(0.8))

    try await process.terminate()
    #expect(manager.texts.last == "STOPPING=1")
  }

  /// The manager waits for that longer than for a daemon that says nothing.
  @Test func theEndIsSaidBeforeWhatWaitsIsWritten() async throws {
    let manager = try Manager()
    let pipe = manager.folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    // Opened for both: there is a reader who reads nothing.
    let descriptor = open(pipe, O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    let process = try DaemonProcess(
      bash: "NOTIFY_SOCKET=\(manager.folder.path("notify")) exec $B replay --speed max $D >\(pipe)")
    try await process.wait(for: "the end of the recording") { manager.texts.contains("STOPPING=1") }
    #expect(process.isRunning)
    try await process.terminate(status: 74)
  }

  @Test func theStatusChangesOnceASecondAtMost() async throws {
    let manager = try Manager()
    let start = ContinuousClock.now
    let process = try manager.start(["replay", "Recordings/drive.nmea", "--speed", "50", "--loop"])
    try await process.wait(for: "locations") { process.output.count { $0 == "\n" } > 100 }
    let statuses = manager.texts.count { $0.hasPrefix("STATUS=") }
    // One at the start, one with the first fix and one for each second.
    #expect(statuses >= 2 && Double(statuses) <= 3 + (ContinuousClock.now - start) / .seconds(1), "\(statuses)")
    try await process.terminate()
  }

  /// No satellites come with it, which change the status as well; and the receiver says it, it is not silent.
  @Test func aLossOfTheFixAloneIsSaid() async throws {
    let manager = try Manager()
    let process = try manager.start(["replay", "-", "--stale-after", "3600"], keepsInputOpen: true)
    func feed(_ seconds: Range<Int>, _ sentence: (Int) -> String) {
      process.write(seconds.map { NMEA.sentence(sentence($0)) }.joined())
    }
    feed(10..<13) { "GPRMC,1200\($0),A,5110.0000,N,00007.5000,W,,,010225,,,A" }
    try await process.wait(for: "the fix") { manager.status?.hasPrefix("2D fix") == true }
    feed(13..<16) { "GPGGA,1200\($0),,,,,0,,,,M,,M,," }
    try await process.wait(for: "its loss") { manager.status == "no fix" }
    try await process.terminate()
  }

  @Test(.enabled(if: RealGPSD.path != nil, "there is no gpsd on this host"))
  func everyTransitionOfTheFix() async throws {
    let manager = try Manager()
    let gpsd = try RealGPSD()
    gpsd.kill()
    let port = LoopbackSocket.unusedPort()
    let process = try manager.start([
      "--gpsd", "127.0.0.1:\(gpsd.port)", "--stale-after", "2.5", "--metrics", "127.0.0.1:\(port)",
    ])
    var index = 0
    /// Feeds epochs until the status and the metrics say what they should.
    func wait(for what: String, feeding hasFix: Bool?, _ status: String, _ metrics: [String: Double?]) async throws {
      var text = ""
      let holds = await eventually {
        if let hasFix {
          gpsd.feed(NMEA.epoch(index, hasFix: hasFix))
          index += 1
          // The pace of a fast receiver.
          try? await Task.sleep(for: .milliseconds(100))
        }
        guard manager.status?.hasPrefix(status) == true, let answer = try? scrape(port: port) else { return false }
        text = answer
        return metrics.allSatisfy { value($0, in: answer) == $1 }
      }
      #expect(holds, "\(what): \(manager.status ?? "no status")\n\(text)")
    }
    let unknown = #"rxlocationd_errors_total{code="locationUnknown"}"#
    let network = #"rxlocationd_errors_total{code="network"}"#

    try await wait(
      for: "no gpsd", feeding: nil, "no gpsd at",
      [
        "rxlocationd_fix_mode": 1, "rxlocationd_gpsd_connections_total": 0, "rxlocationd_locations_total": 0,
        "rxlocationd_fix_age_seconds": nil, "rxlocationd_horizontal_accuracy_meters": nil,
        "rxlocationd_satellites_used": nil,
      ])
    try gpsd.start()
    try await wait(
      for: "no fix", feeding: false, "no fix",
      ["rxlocationd_fix_mode": 1, "rxlocationd_gpsd_connections_total": 1, "rxlocationd_locations_total": 0])
    try await wait(
      for: "fix", feeding: true, "3D fix, ±",
      ["rxlocationd_fix_mode": 3, "rxlocationd_satellites_seen": 8, "rxlocationd_satellites_used": 8])
    let fixed = try scrape(port: port)
    #expect(value("rxlocationd_locations_total", in: fixed) ?? 0 > 0)
    #expect(value("rxlocationd_horizontal_accuracy_meters", in: fixed) ?? 0 > 0)
    #expect(value("rxlocationd_fix_age_seconds", in: fixed).map { $0 >= 0 && $0 < 20 } == true)
    let errors = value(unknown, in: fixed) ?? 0
    try await wait(
      for: "lost", feeding: false, "no fix",
      ["rxlocationd_fix_mode": 1, unknown: errors + 1, network: value(network, in: fixed)])
    try await wait(for: "back", feeding: true, "3D fix, ±", ["rxlocationd_fix_mode": 3, unknown: errors + 1])
    // Silence is a loss, too.
    try await wait(for: "silence", feeding: nil, "no fix", ["rxlocationd_fix_mode": 1, unknown: errors + 2])
    try await wait(for: "sound", feeding: true, "3D fix, ±", ["rxlocationd_fix_mode": 3])
    gpsd.kill()
    try await wait(
      for: "no gpsd again", feeding: nil, "no gpsd at",
      ["rxlocationd_fix_mode": 1, "rxlocationd_satellites_seen": nil, "rxlocationd_satellites_used": nil])
    try gpsd.start()
    try await wait(
      for: "gpsd again", feeding: true, "3D fix, ±",
      ["rxlocationd_fix_mode": 3, "rxlocationd_gpsd_connections_total": 2])
    try await process.terminate()
  }

  @Test(.enabled(if: RealGPSD.path != nil, "there is no gpsd on this host"))
  func aReceiverThatComesIsNoNewConnection() async throws {
    let manager = try Manager()
    let gpsd = try RealGPSD(hasSource: false)
    let port = LoopbackSocket.unusedPort()
    let process = try manager.start(["--gpsd", "127.0.0.1:\(gpsd.port)", "--metrics", "127.0.0.1:\(port)"])
    try await process.wait(for: "the connection") { manager.status == "no fix, no device" }
    let receiver = try LoopbackSocket.listener()
    #expect(try gpsd.control("+tcp://127.0.0.1:\(receiver.port)"))
    let feed = try receiver.accept()
    var index = 0
    try await process.wait(for: "a fix of the new receiver") {
      feed.send(NMEA.epoch(index))
      index += 1
      return manager.status?.hasPrefix("3D fix") == true
    }
    #expect(value("rxlocationd_gpsd_connections_total", in: try scrape(port: port)) == 1)
    try await process.terminate()
  }
}
