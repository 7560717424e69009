import Foundation
import TestSupport
import Testing

extension FlagTests {
  /// What destinations may know of the position: here near 51.1667 degrees north.
  static let ofPrivacy: [Row] = [
    Row("publish-privacy", "grid:1000", over: "exact") { arguments, place in
      let messages = try await published(arguments, place).filter { $0.json["_type"] as? String == "location" }
      // The receiver goes from a cell to the next one.
      #expect(messages.count == 20 && Set(messages.map { $0.json["lat"] as? Double }).count == 2)
      #expect(messages.allSatisfy { $0.json["acc"] as? Int ?? 0 > 600 && $0.json["vel"] == nil })
    },
    Row("map-privacy", "grid:1000", over: "exact") { arguments, place in
      try await served(arguments, place, adding: ["--map", "127.0.0.1:\(place.port)"]) { get in
        let state = try await get("/state.json", "localhost")
        #expect(state.contains(#""latitude":51.1"#) && !state.contains("51.1666") && !state.contains(#""speed":"#))
      }
    },
    Row("region-socket-privacy", "grid:1000", over: "exact") { arguments, place in
      try await live(arguments + ["--region-socket", "unix:" + place.path("socket")]) { _ in
        let lines = try await SocketReader(unix: place.path("socket")).lines(atLeast: 1)
        #expect(lines[0].contains(#""latitude":51.1"#) && !lines[0].contains("51.1666"))
      }
    },
    Row("nmea-privacy", "grid:1000", over: "exact") { arguments, place in
      try await live(arguments + ["--nmea", "unix:" + place.path("socket")]) { _ in
        let lines = try await SocketReader(unix: place.path("socket")).lines(atLeast: 1)
        #expect(lines[0].contains("RMC,12") && lines[0].contains(",A,51") && !lines[0].contains("5110.0"))
      }
    },
  ]
}
