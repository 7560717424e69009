import Foundation
import TestSupport
import Testing

/// The queue in memory, from which `--publish` publishes without `--journal`.
@Suite(.startsPrograms, .enabled(if: RealBroker.path != nil, "there is no mosquitto on this host"))
struct QueueProcessTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Of 1 MiB, which is room for 2048 rows.
  @Test func aReplayOfMoreRowsThanTheQueueHoldsIsDelivered() async throws {
    let broker = try RealBroker()
    let process = try DaemonProcess([
      "replay", try folder.recording(0..<10_000), "--speed", "max", "--format", "none", "--journal-limit", "1M",
      "--publish", "mqtt://127.0.0.1:\(broker.port)", "--publish-topic", "owntracks/ann/car",
    ])
    let result = try await process.waitUntilExit(within: 300)
    #expect(result.status == 0, "\(result.messages)")
    // Each location was sent once.
    let locations = broker.log.components(separatedBy: "'owntracks/ann/car', ... (").count - 1
    #expect(locations >= 10_000, "\(locations)")
  }
}
