import Foundation
import Glibc
import Testing
import TestSupport

/// A pipe under the name of a file: what has to be a regular file says so, and nothing waits for it.
@Suite(.startsPrograms) struct NamedPipeTests {
  private let folder = TemporaryFolder()

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
    ] as [([String], Int32, String)])
  func isRefusedWhereNothingElseMakesSense(arguments: [String], status: Int32, message: String) async throws {
    let pipe = makePipe(folder)
    try await DaemonProcess.run(
      arguments.map { $0 == "PIPE" ? pipe : $0 }, status: status, saying: message.replacing("PIPE", with: pipe))
  }

  @Test func amongTheMapsFilesIsLeftOut() async throws {
    _ = makePipe(folder, "leaflet.min.js")
    let process = try DaemonProcess(
      ["replay", "-", "--map", "127.0.0.1:0", "--map-assets", folder.url.path], keepsInputOpen: true)
    try await process.wait(toSay: "warning: map page: ")
    try await process.terminate()
  }

  @Test(arguments: [(["replay"], SIGTERM, Int32(0)), (["track"], SIGINT, 128 + SIGINT)])
  func thatNobodyWritesCanBeInterrupted(command: [String], signal: Int32, status: Int32) async throws {
    let pipe = makePipe(folder)
    let process = try DaemonProcess(command + [pipe])
    try await process.wait(for: "the reading") { process.has(open: pipe) }
    try await process.terminate(signal, status: status)
  }

  @Test(arguments: ["<(cat $D)", "/dev/stdin <$D", "/dev/fd/7 7< <(cat $D)", "<(gzip -c $D)"])
  func isARecordingLikeAnyOther(input: String) async throws {
    for command in ["replay --speed max", "track --format csv"] {
      let result = try await DaemonProcess.bash("exec $B \(command) \(input)", status: 0)
      #expect(result.lines.count == 705)
    }
  }
}
