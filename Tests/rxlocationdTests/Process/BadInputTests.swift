import Foundation
import Testing
import TestSupport

/// Bad input gets a message that names it, and the status of `sysexits.h`; what was good before it is printed.
@Suite(.startsPrograms) struct BadInputTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private let recording = "Recordings/drive.nmea"

  @Test func aMissingFileBehindAGoodOne() async throws {
    let result = try await DaemonProcess.run(["replay", recording, "missing.nmea", "--speed", "max"])
    #expect(result.status == 66)
    #expect(result.messages.contains("missing.nmea"))
  }

  @Test func aFileForAnotherCommand() async throws {
    let hike = try folder.write("<gpx><trk><trkseg></trkseg></trk></gpx>\n", to: "hike.gpx")
    let replay = try await DaemonProcess.run(["replay", hike])
    #expect(replay.status == 65 && replay.messages.contains("are for rxlocationd track"), "\(replay.messages)")
    let journal = folder.path("fleet.db")
    _ = try await DaemonProcess.run(["replay", recording, "--speed", "max", "--format", "none", "--journal", journal])
    let track = try await DaemonProcess.run(["track", journal])
    #expect(track.status == 65 && track.messages.contains("read a journal with --journal"), "\(track.messages)")
  }

  @Test func aDamagedGzipFile() async throws {
    let path = folder.path("drive.nmea.gz")
    try Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + [UInt8](repeating: 7, count: 200))
      .write(to: URL(fileURLWithPath: path))
    let result = try await DaemonProcess.run(["replay", path])
    #expect(result.status == 65)
    #expect(result.messages.contains("\(path): the gzip data are damaged"))
  }

  @Test func standardInputCannotBeRepeated() async throws {
    let result = try await DaemonProcess.run(["replay", "-", "--loop"], standardInput: Data(NMEA.epoch(0).utf8))
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
    #expect(result.messages.contains("standard input"))
  }

  @Test func noise() async throws {
    let path = folder.path("noise.bin")
    var state: UInt64 = 42
    let bytes = (0..<200_000).map { _ -> UInt8 in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(state >> 56)
    }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let result = try await DaemonProcess.run(["replay", path, "--speed", "max"])
    #expect(result.status == 65)
    #expect(result.messages.contains("noise.bin"))
    #expect(!result.output.contains("location\""))
  }

  @Test func aFileOfOneHugeLine() async throws {
    let path = folder.path("line")
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    let handle = try #require(FileHandle(forWritingAtPath: path))
    let block = Data(repeating: UInt8(ascii: "x"), count: 1 << 20)
    for _ in 0..<16 { try handle.write(contentsOf: block) }
    try handle.close()
    let result = try await DaemonProcess.run(["replay", path, "--speed", "max"])
    #expect(result.status == 65)
    #expect(result.messages.contains("line"))
  }

  @Test func aBadLineAmongGoodOnes() async throws {
    let text = try String(contentsOf: DaemonProcess.packageRoot.appendingPathComponent(recording), encoding: .utf8)
    var lines = text.components(separatedBy: "\r\n")
    lines[26] = "$GNRMC,broken*00"
    let path = try folder.write(lines.joined(separator: "\r\n"), to: "bad.nmea")
    let result = try await DaemonProcess.run(["replay", path, "--speed", "max"])
    #expect(result.status == 0)
    #expect(result.lines.count > 600)
    #expect(result.messages.contains("1 "))
    let strict = try await DaemonProcess.run(["replay", path, "--speed", "max", "--strict"])
    #expect(strict.status == 65)
    #expect(strict.messages.contains("bad.nmea"))
    #expect(strict.messages.contains("27"))
    #expect(!strict.lines.isEmpty)
  }

  @Test(arguments: [
    (["--nonsense"], "Unknown option '--nonsense'"), (["doctor", "--map-name", "a"], "map-name is for the map's page"),
    (["reply", "drive.nmea"], "rxlocationd: 'reply' is not a command; did you mean 'replay'?"),
    (["--loop"], "rxlocationd: run has no --loop; that is for replay"),
  ])
  func aWrongFlagOfTheProgram(arguments: [String], message: String) async throws {
    let result = try await DaemonProcess.run(arguments)
    #expect(result.status == 64 && result.output.isEmpty)
    #expect(result.messages.contains(message), "\(result.messages)")
  }

  @Test func anUnwritableRegionLog() async throws {
    let result = try await DaemonProcess.run(["replay", recording, "--region-log", "/nowhere/regions"])
    #expect(result.status == 73)
    #expect(result.messages.contains("/nowhere/regions"))
  }

  @Test func aSocketPathThatIsTaken() async throws {
    let file = try folder.write("precious", to: "file")
    let result = try await DaemonProcess.run(["replay", recording, "--region-socket", "unix:\(file)"])
    #expect(result.status == 73)
    #expect(result.messages.contains(file))
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")

    let socket = folder.path("socket")
    let first = try DaemonProcess(["--gpsd", "127.0.0.1:9", "--region-socket", "unix:\(socket)"])
    try await first.wait(for: "socket") { FileManager.default.fileExists(atPath: socket) }
    let second = try await DaemonProcess.run(["replay", recording, "--region-socket", "unix:\(socket)"])
    #expect(second.status == 73)
    #expect(second.messages.contains(socket))
    first.send(signal: SIGINT)
    #expect(try await first.waitUntilExit().status == 0)
  }

  @Test func aWrongConfigurationFile() async throws {
    let path = try folder.write("\nspan wide\n", to: "x.conf")
    let result = try await DaemonProcess.run(["--config", path])
    #expect(result.status == 78)
    #expect(result.messages.contains("\(path):2: The value 'wide' is invalid for 'span <metres>'"))
    let missing = try await DaemonProcess.run(["--config", folder.path("none.conf")])
    #expect(missing.status == 78)
    #expect(missing.messages.contains("none.conf"))
  }

  @Test func aConfigurationThatNeverComes() async throws {
    let pipe = folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let result = try await DaemonProcess.run(["--config", pipe])
    #expect(result.status == 78)
    #expect(result.messages.contains("\(pipe): could not be read within 5 s"))

    let process = try DaemonProcess(["--config", pipe])
    try await process.wait(for: "its handlers") { process.survives(SIGTERM) }
    try await process.terminate()
  }

  @Test func namesThatAreNoUTF8() async throws {
    let script = """
      cd '\(folder.url.path)'
      cp '\(Checkout.file(recording).path)' $'a\\xff b.nmea'
      '\(DaemonProcess.executable.path)' replay $'a\\xff b.nmea' --speed max --config $'x\\xfe.conf'; echo $?
      echo format csv >$'x\\xfe.conf'
      '\(DaemonProcess.executable.path)' replay $'a\\xff b.nmea' --speed max --config $'x\\xfe.conf' | tail -n 1
      '\(DaemonProcess.executable.path)' replay $'\\xff' --region-log $'\\xfe'; echo $?
      """
    let result = try await DaemonProcess("/bin/bash", ["-c", script]).waitUntilExit()
    #expect(result.lines.first == "78")
    #expect(result.messages.contains("x\u{FFFD}.conf: cannot be read: No such file"))
    #expect(result.lines.dropFirst().first?.hasPrefix("2026-05-07T00:05:") == true)
    #expect(result.lines.last == "64")
    #expect(result.messages.contains("is not UTF-8"))
  }

  @Test func moreFilesThanDescriptors() async throws {
    let file = try folder.write((0..<2).map { NMEA.epoch($0) }.joined(), to: "two.nmea")
    let script = """
      ulimit -n 64
      '\(DaemonProcess.executable.path)' replay $(for i in {1..1500}; do echo '\(file)'; done) --speed max | wc -l
      """
    let result = try await DaemonProcess("/bin/bash", ["-c", script]).waitUntilExit()
    #expect(Int(result.output.filter(\.isNumber)) ?? 0 >= 3000, "\(result.messages)")
  }

  @Test func aMessageIsOneLine() async throws {
    let result = try await DaemonProcess.run(["replay", "a\nb"])
    #expect(result.status == 66)
    #expect(result.messages.split(separator: "\n").count == 1)
  }
}
