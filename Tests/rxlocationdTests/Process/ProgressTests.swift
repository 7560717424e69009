import Foundation
import Testing
import TestSupport

/// The progress line, on a terminal that `script` makes: there, both outputs of the program are in `output`.
@Suite(.startsPrograms, .enabled(if: Terminal.exists, "script is not installed")) struct ProgressTests {
  /// Enough for a progress line, which comes after half a second.
  private static let files = Array(repeating: "Recordings/drive.nmea", count: 20)
  private static let manyFiles = ["replay", "--speed", "max", "--format", "none"] + files

  @Test func aTerminalSeesHowFarAReplayIs() async throws {
    let process = try Terminal.run(Self.manyFiles)
    let result = try await process.waitUntilExit()
    #expect(result.output.contains(" % of 11 MB, "))
    #expect(result.output.contains(" left"))
    // It is cleared before the last message, and does not come back.
    let end = try #require(result.output.components(separatedBy: "\u{1B}[K").last)
    #expect(end.hasPrefix("rxlocationd: 14080 locations from "), "\(end)")
    #expect(!end.contains("%"))
  }

  @Test func aTerminalSeesHowFarATrackIs() async throws {
    let result = try await Terminal.run(["track", "--format", "json"] + Self.files).waitUntilExit()
    #expect(result.output.contains(" % of 11 MB, "))
    // It makes way for the document.
    let end = try #require(result.output.components(separatedBy: "\u{1B}[K").last)
    #expect(end.hasPrefix("{") && !end.contains("%"), "\(end.prefix(80))")
    let quiet = try await Terminal.run(["track", "--quiet", "--format", "json"] + Self.files).waitUntilExit()
    #expect(!quiet.output.contains("\u{1B}"))
  }

  @Test func aTerminalSeesHowFarTripsAre() async throws {
    let folder = TemporaryFolder()
    let arguments = ["track", "--split", "trip", "--format", "csv", "--output", folder.path("{}.csv")]
    let trips = try await Terminal.run(arguments + Self.files).waitUntilExit()
    // Trips are read twice.
    #expect(trips.output.contains(" % of 21 MB, "), "\(trips.output)")
    // What comes through a device or a pipe has no size.
    let device = try await Terminal.run(["track", "--format", "json"] + Self.files + ["/dev/null"]).waitUntilExit()
    #expect(device.output.contains("B/s") && !device.output.contains(" % of "), "\(device.output)")
  }

  @Test func aReplayAtAPaceOneIntoAFileAndAQuietOneHaveNone() async throws {
    let paced = try Terminal.run(["replay", "Recordings/drive.nmea", "--speed", "500", "--format", "none"])
    #expect(try await !paced.waitUntilExit().output.contains("\u{1B}"))
    let result = try await DaemonProcess.run(Self.manyFiles)
    #expect(!result.messages.contains("\u{1B}") && !result.messages.contains("%"))
    let quiet = try await Terminal.run(Self.manyFiles + ["--quiet"]).waitUntilExit()
    #expect(!quiet.output.contains("\u{1B}"))
  }

  /// What passes `head` appears on the same terminal.
  @Test(arguments: ["replay --speed max", "track --format csv"])
  func thereIsNoProgressBesideWhatAPipeShows(command: String) async throws {
    let words = "'\(DaemonProcess.executable.path)' \(command) \(Self.files.joined(separator: " ")) | head -n 2"
    let result = try await DaemonProcess(
      "/usr/bin/script", ["--quiet", "--return", "--flush", "--command", words, "/dev/null"]
    ).waitUntilExit()
    let end = try #require(result.output.components(separatedBy: "\u{1B}[K").last)
    #expect(end.contains("drive.nmea") && !end.contains("B/s"), "\(end)")
  }

  @Test func aReplayWithAMapStaysOnATerminalUntilControlC() async throws {
    let process = try Terminal.run(
      ["replay", "Recordings/drive.nmea", "--speed", "max", "--format", "none", "--map", "127.0.0.1:0"],
      keepsInputOpen: true)
    try await process.wait(for: "the end of the replay") {
      process.output.contains("the replay is over; the map page shows it until Ctrl-C")
    }
    let url = try #require(process.output.firstMatch(of: /map http:\/\/127.0.0.1:([0-9]+)\//))
    let page = PageClient(port: try #require(UInt16(url.output.1)))
    #expect(try await page.ask("/state.json").contains(" 200 OK"))
    process.write(Data([3]))
    let result = try await process.waitUntilExit()
    #expect(result.status == 0 && result.output.contains("704 locations from"), "\(result.output)")
  }

  @Test func controlCEndsAReplayAndSaysWhatWasDone() async throws {
    let process = try Terminal.run(
      ["replay", "Recordings/drive.nmea", "--speed", "max", "--format", "none", "--loop"], keepsInputOpen: true)
    try await process.wait(for: "progress") { process.output.contains("MB/s") }
    process.write(Data([3]))
    let result = try await process.waitUntilExit()
    let end = try #require(result.output.components(separatedBy: "\u{1B}[K").last)
    #expect(end.contains(" locations from "), "\(end)")
  }
}

/// Runs the program on a terminal of its own.
enum Terminal {
  private static let script = "/usr/bin/script"

  static var exists: Bool { FileManager.default.isExecutableFile(atPath: script) }

  static func run(_ arguments: [String], keepsInputOpen: Bool = false) throws -> DaemonProcess {
    let words = ([DaemonProcess.executable.path] + arguments).map { "'\($0)'" }.joined(separator: " ")
    return try DaemonProcess(
      script, ["--quiet", "--return", "--flush", "--command", "exec " + words, "/dev/null"],
      keepsInputOpen: keepsInputOpen)
  }
}
