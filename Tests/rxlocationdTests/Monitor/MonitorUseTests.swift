import Foundation
import Testing
import TestSupport

/// What a user does with `rxlocationd monitor`, and how it ends, in a real terminal.
@Suite(.startsProgramsForLong, .timeLimit(.minutes(30))) struct MonitorUseTests {
  private let folder = TemporaryFolder()

  private func monitor(_ arguments: String...) async throws -> RealTerminal {
    let terminal = try await RealTerminal(width: 100, height: 30)
    try await terminal.start(["monitor"] + arguments)
    return terminal
  }

  private func drive() async throws -> RealTerminal {
    let terminal = try await monitor("Recordings/drive.nmea", "--speed", "max")
    try await terminal.wait(for: "drive.nmea has ended")
    try await terminal.wait(for: "00:05:59Z")
    return terminal
  }

  private func quit(_ terminal: RealTerminal) async throws {
    try await terminal.press("q")
    try await terminal.wait(for: "[ Stay ]")
    try await terminal.press("Enter")
  }

  // MARK: Ends

  @Test func dialogsOpenAndCloseAndQAsksAndEnds() async throws {
    let terminal = try await drive()
    try await terminal.press("Enter")
    try await terminal.wait(for: "ellipsoidalAltitude  -14.30 m")
    try await terminal.press("Enter")
    #expect(try await eventually { try await !terminal.screen().contains("ellipsoidalAltitude") })
    // A click does what Return does.
    let lines = try await terminal.screen().split(separator: "\n", omittingEmptySubsequences: false)
    let row = try #require(lines.firstIndex { $0.contains("GPS 05") })
    let column = try #require(lines[row].firstRange(of: "GPS 05")).lowerBound
    try await terminal.click(x: lines[row].distance(from: lines[row].startIndex, to: column), y: row)
    try await terminal.wait(for: "signal     46 dB-Hz")
    try await terminal.press("Escape")
    #expect(try await eventually { try await !terminal.screen().contains("46 dB-Hz") })

    try await terminal.press("q")
    try await terminal.wait(for: "[ Stay ]")
    try await terminal.press("Escape")
    #expect(try await eventually { try await !terminal.screen().contains("Quit?") })
    try await quit(terminal)
    #expect(try await terminal.isAsItWas(afterStatus: 0))
    // What was there before the program is there again, and nothing of the program's.
    #expect(try await !terminal.screen().contains("Latitude"))
  }

  @Test func aRecordOfGPSDIsPlayed() async throws {
    let lines = (0..<5).map {
      #"176412400\#($0).000001: {"class":"TPV","time":"2025-11-26T02:26:4\#($0).000Z","mode":3,"lat":51.5,"lon":0.1}"#
    }
    let terminal = try await monitor(
      try folder.write(lines.joined(separator: "\n") + "\n", to: "gps.record"), "--speed", "max")
    try await terminal.wait(for: "gps.record has ended")
    try await terminal.wait(for: "02:26:44Z")
  }

  /// Unless another speed is asked for: the second fix is an hour later.
  @Test func recordingsAreNamedAndPlayedAtTheirPace() async throws {
    let first = try folder.write(NMEA.epoch(0) + NMEA.epoch(1) + NMEA.epoch(3600) + NMEA.epoch(3601), to: "walk.nmea")
    let second = try folder.write(NMEA.epoch(0) + NMEA.epoch(1), to: "ride.nmea")
    let terminal = try await monitor(first, second)
    try await terminal.wait(for: "rxlocationd walk.nmea, ride.nmea")
    try await terminal.wait(for: "12:00:01Z")
    #expect(try await !terminal.screen().contains("has ended"))
  }

  @Test func aRecordingThatIsNoneIsSaidAtTheEnd() async throws {
    let terminal = try await monitor(try folder.write("this is\nno recording\n", to: "noise.nmea"))
    try await terminal.wait(for: "Satellites")
    try await quit(terminal)
    #expect(try await terminal.isAsItWas(afterStatus: 65))
    try await terminal.wait(for: "holds no NMEA 0183 sentence")
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT, SIGILL])
  func aSignalLeavesTheTerminalAsItWas(number: Int32) async throws {
    let terminal = try await drive()
    kill(try #require(terminal.process), number)
    #expect(try await terminal.isAsItWas(afterStatus: 128 + Int(number)))
  }

  @Test func ctrlCEndsIt() async throws {
    let terminal = try await drive()
    try await terminal.press("C-c")
    #expect(try await terminal.isAsItWas(afterStatus: 130))
  }

  @Test func ctrlZStopsItAndFgGoesOn() async throws {
    let terminal = try await drive()
    try await terminal.press("C-z")
    // 128 and SIGTSTP: for the shell it is over, for now.
    #expect(try await terminal.isAsItWas(afterStatus: 148))
    try await terminal.type("clear; fg")
    try await terminal.press("Enter")
    try await terminal.wait(for: "Latitude  37.758717°")
    try await terminal.resize(width: 90, height: 28)
    try await quit(terminal)
    #expect(try await eventually { try await !terminal.screen().contains("Latitude") })
    try await terminal.type("echo the shell is $((2 + 2))")
    try await terminal.press("Enter")
    try await terminal.wait(for: "the shell is 4")
  }

  // MARK: Dialogs

  @Test func keysComeFromTheTerminalWhenStandardInputIsTheRecording() async throws {
    let terminal = try await RealTerminal(width: 80, height: 24)
    try await terminal.start(["monitor", "-", "--speed", "max"], input: "Recordings/drive.nmea")
    try await terminal.wait(for: "00:05:59Z")
    try await quit(terminal)
    #expect(try await terminal.isAsItWas(afterStatus: 0))
  }

  @Test func aFenceIsMadeHereAndRemoved() async throws {
    let terminal = try await drive()
    try await terminal.press("f")
    try await terminal.wait(for: "A fence here")
    try await terminal.type("harbour")
    // OK cannot be pressed yet.
    try await terminal.press("Enter", "Tab", "-", "7")
    try await terminal.wait(for: "The radius is a number above 0, in m.")
    try await terminal.press("Home", "Delete", "5", "Enter")
    try await terminal.wait(for: "unknown  0 m")
    try await terminal.press("f")
    try await terminal.type("harbour")
    try await terminal.wait(for: "There is a fence of that name.")
    try await terminal.press("Escape")
    #expect(try await eventually { try await !terminal.screen().contains("A fence here") })
    // From the fix past the filter, and past the satellites if there are some, to the fences. On a busy machine the screen
    // may come too late, and the next turn through all controls finds it.
    for _ in 0..<20 {
      try await terminal.press("Tab", "Enter")
      if try await eventually(within: 2, { try await terminal.screen().contains("─ harbour ─") }) { break }
      try await terminal.press("Escape")
    }
    try await terminal.wait(for: "radius     57 m")
    try await terminal.press("Escape", "Delete")
    try await terminal.wait(for: "Stop watching harbour?")
    try await terminal.press("Enter")
    #expect(try await eventually { try await !terminal.screen().contains("harbour") })
  }

  // MARK: Live

  @Test func lossesOfGpsdAndOfTheFixAreSaid() async throws {
    let gpsd = try RealGPSD()
    let terminal = try await monitor("--gpsd", "127.0.0.1:\(gpsd.port)", "--stale-after", "2")
    var index = 0
    func feed(until text: String) async throws {
      #expect(
        try await eventually {
          gpsd.feed(NMEA.epoch(index))
          index += 1
          return try await terminal.screen().contains(text)
        }, "\(text)")
    }
    try await feed(until: "3D, 8")
    #expect(try await terminal.screen().contains("127.0.0.1:\(gpsd.port) is connected"))
    // Silence: the fix gets old.
    try await terminal.wait(for: "the fix is lost: no fix for 2")
    try await feed(until: "3D, 8")
    gpsd.kill()
    try await terminal.wait(for: "127.0.0.1:\(gpsd.port) is lost: ")
    try gpsd.start()
    try await feed(until: "3D, 8")
    let messages = try await terminal.screen().split(separator: "\n").drop { !$0.contains("─ Messages") }
    #expect(messages.count { $0.contains(" is lost: ") && $0.contains("127.0.0.1") } == 1, "\(messages)")
  }

  /// The monitor may be given what the daemon was: with a star, that listens on every address of this host.
  @Test(arguments: [("127.0.0.1", "127.0.0.1"), ("*", "localhost")])
  func itShowsWhatTheOutputsOfADaemonDo(host: String, server: String) async throws {
    let port = LoopbackSocket.unusedPort()
    let terminal = try await monitor("Recordings/drive.nmea", "--speed", "max", "--metrics", "\(host):\(port)")
    try await terminal.wait(for: "no metrics of the daemon")
    try await terminal.wait(for: "metrics          \(server):\(port): ")
    let daemon = try DaemonProcess(["replay", "-", "--metrics", "127.0.0.1:\(port)"], keepsInputOpen: true)
    daemon.feed(0..<3)
    try await terminal.wait(for: "standard output")
    try await terminal.wait(for: "the daemon's metrics are read")
    daemon.closeInput()
    try await daemon.waitUntilExit(status: 0)
  }
}
