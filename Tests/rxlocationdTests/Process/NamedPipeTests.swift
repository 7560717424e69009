import Foundation
import Glibc
import Testing
import TestSupport

/// A pipe under the name of a file: what has to be a regular file says so, and nothing waits for it.
@Suite(.startsPrograms) struct NamedPipeTests {
  private static let recording = "Recordings/drive.nmea"

  private func makePipe(_ folder: TemporaryFolder, _ name: String = "pipe") -> String {
    let pipe = folder.path(name)
    #expect(mkfifo(pipe, 0o600) == 0)
    return pipe
  }

  @Test(
    arguments: [
      (["--map", "127.0.0.1:0", "--map-tiles", "PIPE"], 66, "PIPE: is not a regular file"),
      (["--journal", "PIPE"], 73, "journal PIPE is not a regular file"),
      (["track", "--journal", "PIPE"], 66, "journal PIPE is not a regular file"),
      (["track", "--split", "trip", "--output", "/tmp/{}", "PIPE"], 64, "PIPE can be read only once"),
    ] as [([String], Int32, String)])
  func isRefusedWhereNothingElseMakesSense(arguments: [String], status: Int32, message: String) async throws {
    let folder = try TemporaryFolder()
    let pipe = makePipe(folder)
    let process = try DaemonProcess(arguments.map { $0 == "PIPE" ? pipe : $0 })
    let result = try await process.waitUntilExit()
    #expect(result.status == status)
    #expect(result.messages.contains(message.replacing("PIPE", with: pipe)), "\(result.messages)")
  }

  @Test(arguments: [
    (["--publish-ca", "PIPE"], "publish-ca PIPE"),
    (["--publish-certificate", "PIPE", "--publish-key", recording], "publish-certificate PIPE"),
    (["--publish-certificate", recording, "--publish-key", "PIPE"], "publish-key PIPE"),
  ])
  func isNoFileOfACertificate(flags: [String], words: String) async throws {
    let folder = try TemporaryFolder()
    let pipe = makePipe(folder)
    let publishing = ["run", "--publish", "mqtts://127.0.0.1:9"] + flags.map { $0 == "PIPE" ? pipe : $0 }
    let refusal = try #require(await Refusal(publishing))
    #expect(refusal.status == 64)
    #expect(refusal.message.contains("\(words.replacing("PIPE", with: pipe)): is not a regular file"), "\(refusal)")
  }

  @Test func amongTheMapsFilesIsLeftOut() async throws {
    let folder = try TemporaryFolder()
    _ = makePipe(folder, "leaflet.min.js")
    let process = try DaemonProcess(
      ["replay", "-", "--map", "127.0.0.1:0", "--map-assets", folder.url.path], keepsInputOpen: true)
    try await process.wait(for: "a warning") { process.messages.contains("warning: map page: ") }
    try await process.terminate()
  }

  @Test(arguments: [(["replay"], SIGTERM, Int32(0)), (["track"], SIGINT, 128 + SIGINT)])
  func thatNobodyWritesCanBeInterrupted(command: [String], signal: Int32, status: Int32) async throws {
    let folder = try TemporaryFolder()
    let pipe = makePipe(folder)
    let process = try DaemonProcess(command + [pipe])
    try await process.wait(for: "the reading") { process.has(open: pipe) }
    process.send(signal: signal)
    #expect(try await process.waitUntilExit().status == status)
  }

  @Test(arguments: ["<(cat $D)", "/dev/stdin <$D", "/dev/fd/7 7< <(cat $D)", "<(gzip -c $D)"])
  func isARecordingLikeAnyOther(input: String) async throws {
    let variables = "B='\(DaemonProcess.executable.path)'; D='\(Self.recording)'; "
    for command in ["replay --speed max", "track --format csv"] {
      let process = try DaemonProcess("/bin/bash", ["-c", variables + "exec $B \(command) \(input)"])
      let result = try await process.waitUntilExit()
      #expect(result.status == 0, "\(result.messages)")
      #expect(result.lines.count == 705)
    }
  }
}
