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

  /// Each of the files may take 100 KiB, which is room for about a thousand fixes.
  private static let limited = "ulimit -f 200; exec \"$0\" \"$@\""

  @Test(.enabled(if: RealBroker.path != nil, "there is no mosquitto on this host"))
  func aQueueThatIsLargerThanItsDiskIsDelivered() async throws {
    let broker = try RealBroker()
    let process = try DaemonProcess(
      "/usr/bin/env",
      [
        "TMPDIR=\(folder.path)", "/bin/sh", "-c", Self.limited, DaemonProcess.executable.path, "replay",
        try folder.recording(0..<10_000), "--speed", "max", "--format", "none", "--publish",
        "mqtt://127.0.0.1:\(broker.port)", "--publish-topic", "owntracks/ann/car",
      ])
    let result = try await process.waitUntilExit(within: 300)
    #expect(result.status == 0, "\(result.messages)")
    #expect(queues() == [])
    // Each location was sent once.
    let locations = broker.log.components(separatedBy: "'owntracks/ann/car', ... (").count - 1
    #expect(locations >= 10_000, "\(locations)")
  }

  /// Live, what overflows while the broker is away is lost. Afterwards the queue works again.
  @Test(.enabled(if: RealBroker.path != nil, "there is no mosquitto on this host"))
  func aFullDiskIsOverWhenTheBrokerIsBack() async throws {
    let broker = try RealBroker()
    broker.kill()
    let metrics = try LoopbackSocket.unusedPort()
    let process = try DaemonProcess(
      "/usr/bin/env",
      [
        "TMPDIR=\(folder.path)", "/bin/sh", "-c", Self.limited, DaemonProcess.executable.path, "replay", "-",
        "--speed", "max", "--format", "none", "--publish", "mqtt://127.0.0.1:\(broker.port)", "--metrics",
        "127.0.0.1:\(metrics)",
      ], keepsInputOpen: true)
    process.write(Data((0..<1500).map { NMEA.epoch($0) }.joined().utf8))
    try await process.wait(for: "a full disk") { process.messages.contains("retrying every second") }
    try broker.start()
    try await process.wait(for: "room") { process.messages.contains("can be written again; nothing was lost") }
    process.write(Data((1500..<5000).map { NMEA.epoch($0) }.joined().utf8))
    process.closeInput()
    #expect(try await process.waitUntilExit(within: 120).status == 0, "\(process.messages)")
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
    // What the program has not made stays.
    let others = ["rxjournal.mynote/notes.txt", "rxjournal.backup2/journal.db"]
    for other in others {
      let url = URL(filePath: folder.path(other))
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try folder.write("mine", to: other)
    }

    let second = try start()
    try await second.wait(for: "the second queue") { !queues().isSuperset(of: first) && queues().count == 3 }
    let live = queues()
    let third = try start()
    try await third.wait(for: "the third queue") { queues().count == 4 }
    #expect(queues().isSuperset(of: live), "a running daemon keeps its queue")
    for process in [second, third] {
      process.send(signal: SIGTERM)
      #expect(try await process.waitUntilExit().status == 0)
    }
    #expect(queues() == ["rxjournal.mynote", "rxjournal.backup2"])
    for other in others { #expect(FileManager.default.fileExists(atPath: folder.path(other))) }
  }
}
