import Foundation
import Testing
import TestSupport

@Suite(.startsPrograms, .timeLimit(.minutes(30))) struct MonitorScreenTests {
  private static let drive = [
    "monitor", "Recordings/drive.nmea", "--speed", "max", "--fence", "home=37.7858,-122.4064,50",
  ]

  /// A terminal that shows the end of the drive.
  private func atTheEnd(
    width: Int, height: Int, environment: [String] = [], _ more: String...
  ) async throws -> RealTerminal {
    let terminal = try await RealTerminal(width: width, height: height, environment: environment)
    try await terminal.start(Self.drive + more)
    try await terminal.wait(for: "drive.nmea has ended")
    try await terminal.wait(for: "00:05:59Z")
    return terminal
  }

  @Test(arguments: [(80, 24), (132, 43)])
  func theEndOfTheDriveLooksSo(width: Int, height: Int) async throws {
    let terminal = try await atTheEnd(width: width, height: height)
    let golden = Checkout.file("Tests/Golden/monitor-\(width)x\(height).txt")
    if ProcessInfo.processInfo.environment["RXLOCATIOND_WRITE_GOLDEN"] != nil {
      try await terminal.screen().write(to: golden, atomically: true, encoding: .utf8)
    }
    let text = try String(contentsOf: golden, encoding: .utf8)
    var screen = ""
    #expect(
      try await eventually {
        screen = try await terminal.screen()
        return screen == text
      }, "\(screen)")
  }

  @Test func itFollowsTheSizeOfTheWindow() async throws {
    let terminal = try await atTheEnd(width: 80, height: 24)
    try await terminal.resize(width: 40, height: 12)
    #expect(
      try await eventually {
        let lines = try await terminal.screen().split(separator: "\n")
        return lines.contains { $0.hasPrefix("Latitude  37.758717°") } && !lines.contains { $0.contains("Messages") }
      })
    try await terminal.resize(width: 8, height: 2)
    try await terminal.resize(width: 100, height: 30)
    try await terminal.wait(for: "─ Messages ─")
    try await terminal.wait(for: "outside  3.20 km")
  }

  @Test("a locale that was not generated still says UTF-8")
  func missingLocale() async throws {
    let terminal = try await atTheEnd(width: 80, height: 24, environment: ["LC_ALL=xx_YY.UTF-8"])
    try await terminal.wait(for: "Latitude  37.758717°")
  }

  @Test func withoutColoursAndUTF8ItSaysTheSame() async throws {
    // SGR 30 to 37 are colours.
    let colours = /\u{1B}\[[0-9;]*3[0-7][m;]/
    let terminal = try await atTheEnd(width: 80, height: 24)
    #expect(try await terminal.screen(withStyles: true).contains(colours))
    for environment in [["TERM=vt100"], ["NO_COLOR=1", "LC_ALL=C"]] {
      let plain = try await atTheEnd(width: 80, height: 24, environment: environment)
      #expect(try await !plain.screen(withStyles: true).contains(colours))
      #expect(try await plain.screen().contains("there is a fix"))
      guard environment.contains("LC_ALL=C") else { continue }
      try await plain.wait(for: "+- Fix ---")
      #expect(try await plain.screen().utf8.allSatisfy { $0 < 0x80 })
    }
  }

  @Test(
    arguments: [
      ("TERM=unheard-of", "the terminal type 'unheard-of' is not known"), ("TERM=", "TERM is not set"),
      ("TERM=dumb", "cannot place its cursor"),
    ])
  func whereItCannotShowAnythingItSaysWhy(environment: String, words: String) async throws {
    let terminal = try await RealTerminal(width: 200, height: 24, environment: [environment])
    try await terminal.start(Self.drive)
    try await terminal.wait(for: "rxlocationd: cannot show the monitor: ")
    try await terminal.wait(for: words)
    #expect(try await terminal.isAsItWas(afterStatus: 69))
  }

  @Test func withoutATerminalItSaysSo() async throws {
    let result = try await DaemonProcess.run(Self.drive, status: 69)
    #expect(result.messages == "rxlocationd: cannot show the monitor: standard output is not a terminal\n")
    #expect(result.output.isEmpty)
  }

  @Test func aRecordingThatIsNotThereIsSaidBeforeTheScreenChanges() async throws {
    let terminal = try await RealTerminal(width: 120, height: 24)
    try await terminal.start(["monitor", "missing.nmea"])
    try await terminal.wait(for: "missing.nmea")
    #expect(try await terminal.isAsItWas(afterStatus: 66))
  }

  @Test func itSleepsAtTheEndOfARecording() async throws {
    let terminal = try await atTheEnd(width: 80, height: 24)
    let process = try #require(terminal.process)
    var wakeups = DaemonProcess.wakeups(of: process)
    var quietSince = ContinuousClock.now
    #expect(
      await eventually {
        let now = DaemonProcess.wakeups(of: process)
        if now != wakeups { (wakeups, quietSince) = (now, .now) }
        return ContinuousClock.now - quietSince > .seconds(3)
      })
    #expect(!wakeups.isEmpty)
    // It is awake for a key all the same.
    try await terminal.press("q")
    try await terminal.wait(for: "Quit?")
  }
}
