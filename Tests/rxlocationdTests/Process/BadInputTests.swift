import Foundation
import Journal
import Testing
import TestSupport

/// Bad input gets a message that names it, and the status of `sysexits.h`; what was good before it is printed.
@Suite(.startsProgramsForLong) struct BadInputTests {
  let folder = TemporaryFolder()

  private let recording = "Recordings/drive.nmea"

  @Test func aMissingFileBehindAGoodOneIsSaidInOneLine() async throws {
    let result = try await DaemonProcess.run(
      ["replay", recording, "missing\nfile", "--speed", "max"], status: 66, saying: "missing file")
    #expect(result.messages.split(separator: "\n").count == 1)
  }

  @Test func aFileForAnotherCommand() async throws {
    let hike = try folder.write("<gpx><trk><trkseg></trkseg></trk></gpx>\n", to: "hike.gpx")
    try await DaemonProcess.run(["replay", hike], status: 65, saying: "are for rxlocationd track")
    let journal = folder.path("fleet.db")
    _ = try DeviceJournalFile(path: journal, limit: 1 << 24)
    try await DaemonProcess.run(["track", journal], status: 65, saying: "read a journal with --journal")
  }

  @Test func aDamagedGzipFile() async throws {
    let path = folder.path("drive.nmea.gz")
    try Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + [UInt8](repeating: 7, count: 200))
      .write(to: URL(fileURLWithPath: path))
    try await DaemonProcess.run(["replay", path], status: 65, saying: "\(path): the gzip data are damaged")
  }

  @Test func standardInputCannotBeRepeated() async throws {
    let result = try await DaemonProcess.run(
      ["replay", "-", "--loop"], standardInput: Data(NMEA.epoch(0).utf8), status: 64, saying: "standard input")
    #expect(result.output.isEmpty)
  }

  @Test func noise() async throws {
    let path = folder.path("noise.bin")
    var numbers = SplitMix(state: 42)
    try Data((0..<200_000).map { _ in UInt8.random(in: .min ... .max, using: &numbers) })
      .write(to: URL(fileURLWithPath: path))
    let result = try await DaemonProcess.run(["replay", path, "--speed", "max"], status: 65, saying: "noise.bin")
    #expect(!result.output.contains("location\""))
  }

  @Test func aFileOfOneHugeLine() async throws {
    let path = try folder.write(String(repeating: "x", count: 16 << 20), to: "line")
    try await DaemonProcess.run(["replay", path, "--speed", "max"], status: 65, saying: path)
  }

  @Test func aBadLineAmongGoodOnes() async throws {
    var lines = try Checkout.text(recording).components(separatedBy: "\r\n")
    lines[26] = "$GNRMC,broken*00"
    let path = try folder.write(lines.joined(separator: "\r\n"), to: "bad.nmea")
    let result = try await DaemonProcess.run(["replay", path, "--speed", "max"], status: 0, saying: "1 ")
    #expect(result.lines.count > 600)
    let strict = try await DaemonProcess.run(
      ["replay", path, "--speed", "max", "--strict"], status: 65, saying: "bad.nmea")
    #expect(strict.messages.contains("27"))
    #expect(!strict.lines.isEmpty)
  }

  @Test(arguments: [
    (["--nonsense"], "Unknown option '--nonsense'"),
    (["track", "--raw"], "--raw needs a file, or a record in the settings"),
    (["track", "--raw", "x", "--max-speed", "50"], "it excludes --max-speed"),
    (["track", "--raw", "--journal", "/tmp/journal.db"], "it excludes --journal"),
    (["track", "x", "--record", "/tmp/record"], "--record is for --raw"),
    (["reply", "drive.nmea"], "rxlocationd: 'reply' is not a command; did you mean 'replay'?"),
  ])
  func aWrongFlagOfTheProgram(arguments: [String], message: String) async throws {
    let result = try await DaemonProcess.run(arguments, status: 64, saying: message)
    #expect(result.output.isEmpty)
  }

  @Test func anUnwritableRegionLog() async throws {
    try await DaemonProcess.run(
      ["replay", recording, "--region-log", "/nowhere/regions"], status: 73, saying: "/nowhere/regions")
  }

  @Test func aSocketPathThatIsTaken() async throws {
    let file = try folder.write("precious", to: "file")
    try await DaemonProcess.run(["replay", recording, "--region-socket", "unix:\(file)"], status: 73, saying: file)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")

    let socket = folder.path("socket")
    let first = try DaemonProcess(["--gpsd", "127.0.0.1:9", "--region-socket", "unix:\(socket)"])
    try await first.wait(for: "socket") { FileManager.default.fileExists(atPath: socket) }
    try await DaemonProcess.run(["replay", recording, "--region-socket", "unix:\(socket)"], status: 73, saying: socket)
    try await first.terminate(SIGINT)
  }

  @Test func aWrongConfigurationFile() async throws {
    let path = try folder.write("\nspan wide\n", to: "x.conf")
    let words = "\(path):2: The value 'wide' is invalid for 'span <metres>'"
    try await DaemonProcess.run(["--config", path], status: 78, saying: words)
    try await DaemonProcess.run(["--config", folder.path("none.conf")], status: 78, saying: "none.conf")
  }

  @Test func aConfigurationThatNeverComes() async throws {
    let pipe = folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let words = "\(pipe): could not be read within 5 s"
    try await DaemonProcess.run(["--config", pipe], status: 78, saying: words)

    let process = try DaemonProcess(["--config", pipe])
    try await process.wait(for: "its handlers") { process.survives(SIGTERM) }
    try await process.terminate()
  }

  @Test func namesThatAreNoUTF8() async throws {
    let result = try await DaemonProcess.bash(
      """
      cp "$D" '\(folder.path)'/$'a\\xff b.nmea'; cd '\(folder.path)'
      $B replay $'a\\xff b.nmea' --speed max --config $'x\\xfe.conf'; echo $?
      echo format csv >$'x\\xfe.conf'
      $B replay $'a\\xff b.nmea' --speed max --config $'x\\xfe.conf' | tail -n 1
      $B replay $'\\xff' --region-log $'\\xfe'; echo $?
      """)
    #expect(result.lines.first == "78")
    #expect(result.messages.contains("x\u{FFFD}.conf: cannot be read: No such file"))
    #expect(result.lines.dropFirst().first?.hasPrefix("2026-05-07T00:05:") == true)
    #expect(result.lines.last == "64")
    #expect(result.messages.contains("is not UTF-8"))
  }

  @Test func moreFilesThanDescriptors() async throws {
    let file = try folder.write((0..<2).map { NMEA.epoch($0) }.joined(), to: "two.nmea")
    let files = "$(for i in {1..1500}; do echo '\(file)'; done)"
    let result = try await DaemonProcess.bash("ulimit -n 64; $B replay \(files) --speed max | wc -l")
    #expect(Int(result.output.filter(\.isNumber)) ?? 0 >= 3000, "\(result.messages)")
  }
}
