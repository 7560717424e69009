import Foundation
import TestSupport
import Testing

extension FlagTests {
  private static func track(_ arguments: [String]) async throws -> DaemonProcess.Result {
    try await DaemonProcess.run(["track", recording] + arguments)
  }

  private static func summary(_ arguments: [String]) async throws -> [String: Any] {
    let result = try await track(["--format", "json"] + arguments)
    return try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any] ?? [:]
  }

  /// The flags of `track` that a file may have, too. Without them the drive has no stop and no jump, as its golden files show.
  static let ofTrackReading = [
    Row(
      "stop-after 30", "time-zone America/Los_Angeles", "coordinates minutes", "units nautical",
      over: "stop-after 3600", "time-zone Europe/Berlin", "coordinates grid", "units imperial"
    ) { arguments, _ in
      let output = try await track(arguments).output
      #expect(output.contains("2026-05-06 16:54:00 to 17:05:59 PDT"), "\(output)")
      // The place of a stop.
      #expect(output.contains("37° 47.151' N, 122° 24.380' W"), "\(output)")
      #expect(output.contains(" nmi") && output.contains(" kn while moving"), "\(output)")
    },
    Row("stop-within 5000", over: "stop-within 1") { arguments, _ in
      // Nearly everything is near the place where it began.
      let parts = try await summary(arguments)["parts"] as? [[String: Any]] ?? []
      #expect(parts.count { $0["type"] as? String == "stop" } == 1, "\(parts)")
    },
    Row("gap-after 10", over: "gap-after 3600") { arguments, place in
      let lines = ["00", "05", "20", "25"].map { second in
        #"{"type":"location","time":"2026-05-06T00:00:\#(second)Z","latitude":48.0\#(second),"longitude":9}"#
      }
      let path = try place.folder.write(lines.joined(separator: "\n"), to: "slow.ndjson")
      let output = try await DaemonProcess.run(["track", path] + arguments).output
      #expect(output.contains("1 gap of 15 s (") && output.contains(" left out)"), "\(output)")
    },
    Row("max-speed 5", over: "max-speed 1000") { arguments, _ in
      let jumps = try await summary(arguments)["jumps"] as? Int ?? 0
      #expect(jumps > 0)
    },
    Row("simplify 20", over: "simplify 0") { arguments, _ in
      let lines = try await track(["--format", "csv"] + arguments).lines.count
      #expect((10..<100).contains(lines), "\(lines)")
    },
  ]
}
