import Foundation
import Glibc
import TestSupport
import Testing

/// The temporary journal, from which `--publish` publishes without `--journal`.
@Suite(.startsPrograms) struct QueueProcessTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func queues() -> Set<String> {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return Set(names.filter { $0.hasPrefix("rxjournal.") })
  }

  @Test func aStartRemovesTheQueuesThatNoProcessUses() async throws {
    let publish = "mqtt://127.0.0.1:\(try LoopbackSocket.unusedPort())"
    func start() throws -> DaemonProcess {
      try DaemonProcess(
        "/usr/bin/env",
        [
          "TMPDIR=\(folder.path)", DaemonProcess.executable.path, "replay", "-", "--format", "none", "--publish",
          publish,
        ], keepsInputOpen: true)
    }
    let killed = try start()
    try await killed.wait(for: "the first queue") { queues().count == 1 }
    let first = queues()
    killed.send(signal: SIGKILL)
    _ = try await killed.waitUntilExit()
    #expect(queues() == first)
    let notOurs = folder.path("rxjournal.notes")
    try FileManager.default.createDirectory(atPath: notOurs, withIntermediateDirectories: true)
    try folder.write("mine", to: "rxjournal.notes/notes.txt")

    let second = try start()
    try await second.wait(for: "the second queue") { !queues().isSuperset(of: first) && queues().count == 2 }
    let live = queues()
    let third = try start()
    try await third.wait(for: "the third queue") { queues().count == 3 }
    #expect(queues().isSuperset(of: live), "a running daemon keeps its queue")
    for process in [second, third] {
      process.send(signal: SIGTERM)
      #expect(try await process.waitUntilExit().status == 0)
    }
    #expect(queues() == ["rxjournal.notes"])
    #expect(FileManager.default.fileExists(atPath: notOurs + "/notes.txt"))
  }
}
