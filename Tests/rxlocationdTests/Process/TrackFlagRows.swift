import Foundation
import TestSupport
import Testing

extension FlagTests {
  private static func track(_ arguments: [String]) async throws -> DaemonProcess.Result {
    try await DaemonProcess.run(["track", "Recordings/drive.nmea"] + arguments)
  }

  private static func summary(_ arguments: [String]) async throws -> [String: Any] {
    let result = try await track(["--format", "json"] + arguments)
    #expect(result.status == 0, "\(result.messages)")
    return try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any] ?? [:]
  }

  private static func parts(_ summary: [String: Any], _ type: String) -> [[String: Any]] {
    (summary["parts"] as? [[String: Any]] ?? []).filter { $0["type"] as? String == type }
  }

  /// The flags of `track` that a file may have, too.
  static let ofTrackReading = [
    Row("stop-after", "20", over: "3600") { arguments, _ in
      let (short, usual) = try await (summary(arguments), summary([]))
      #expect(parts(short, "stop").count > parts(usual, "stop").count)
    },
    Row("stop-within", "5000", over: "1") { arguments, _ in
      // Nearly everything is near the place where it began.
      let (wide, usual) = try await (summary(arguments), summary([]))
      #expect(parts(wide, "stop").count == 1)
      #expect(parts(usual, "stop").isEmpty)
    },
    Row("gap-after", "10", over: "3600") { arguments, place in
      let lines = [0, 5, 20, 25].map { second in
        #"{"type":"location","time":"2026-05-06T00:00:\#(second < 10 ? "0" : "")\#(second)Z","latitude":48.0\#(second),"longitude":9}"#
      }
      let path = place.path("slow.ndjson")
      try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: path))
      let (short, usual) = try await (
        DaemonProcess.run(["track", path] + arguments), DaemonProcess.run(["track", path])
      )
      #expect(short.output.contains("1 gap of 15 s (") && short.output.contains(" left out)"))
      #expect(usual.status == 0 && !usual.output.contains("gap"))
    },
    Row("max-speed", "5", over: "1000") { arguments, _ in
      let (slow, usual) = try await (summary(arguments)["jumps"] as? Int, summary([])["jumps"] as? Int)
      #expect(slow.map { $0 > 0 } == true)
      #expect(usual == 0)
    },
    Row("simplify", "20", over: "0") { arguments, _ in
      let lines = try await track(["--format", "csv"] + arguments).lines.count
      #expect((10..<100).contains(lines))
    },
    Row("time-zone", "America/Los_Angeles", over: "Europe/Berlin") { arguments, _ in
      let result = try await track(arguments)
      #expect(result.output.contains("2026-05-06 16:54:00 to 17:05:59 PDT"))
    },
    Row("coordinates", "minutes", over: "grid") { arguments, _ in
      let result = try await track(arguments + ["--stop-after", "30"])
      #expect(result.output.contains("37° 47.151' N, 122° 24.380' W"), "\(result.output)")
    },
    Row("units", "nautical", over: "imperial") { arguments, _ in
      let result = try await track(arguments)
      #expect(result.output.contains(" nmi") && result.output.contains(" kn while moving"))
    },
  ]
}
