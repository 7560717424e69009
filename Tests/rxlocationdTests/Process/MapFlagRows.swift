import Foundation
import TestSupport
import Testing

extension FlagTests {
  /// The settings of the map page.
  static let ofMap: [Row] = [
    Row("map-name", "gps.example", over: "other.example") { arguments, place in
      try await served(arguments, place) { get in
        let (good, wrong) = (try await get("/", "gps.example:443"), try await get("/", "other.example"))
        #expect(good.hasPrefix("HTTP/1.1 200 ") && wrong.hasPrefix("HTTP/1.1 421 "))
      }
    },
    Row("map-tiles", "https://tiles.example/{z}/{x}/{y}.png", over: "https://other.example/{z}/{x}/{y}.png") {
      arguments, place in
      try await served(
        arguments + ["--map-attribution", "Somebody"], place, adding: ["--map", "127.0.0.1:\(place.port)"]
      ) { get in
        let (page, state) = (try await get("/", "localhost"), try await get("/state.json", "localhost"))
        #expect(page.contains("img-src 'self' data: https://tiles.example;"))
        #expect(state.contains(#""tiles":{"url":"https://tiles.example/{z}/{x}/{y}.png","attribution":"Somebody""#))
      }
    },
    Row("map-attribution", "Somebody", over: "Another") { arguments, place in
      try await served(
        arguments + ["--map-tiles", "https://tiles.example/{z}/{x}/{y}.png"], place,
        adding: ["--map", "127.0.0.1:\(place.port)"]
      ) { get in
        let state = try await get("/state.json", "localhost")
        #expect(state.contains(#""attribution":"Somebody""#))
      }
    },
    Row("map-assets", "FOLDER", over: "/nowhere") { arguments, place in
      try place.folder.write("leaflet", to: "leaflet.min.js")
      try place.folder.write("style", to: "leaflet.css")
      try await served(arguments, place) { get in
        let script = try await get("/leaflet/leaflet.js", "localhost")
        #expect(script.hasSuffix("\r\n\r\nleaflet"))
      }
    },
  ]

  /// Runs the daemon with a map page and hands out a way to ask it for a path of a host.
  static func served(
    _ arguments: [String], _ place: Place, adding: [String]? = nil,
    _ body: @Sendable (_ get: @Sendable (String, String) async throws -> String) async throws -> Void
  ) async throws {
    try await live(arguments + (adding ?? ["--map", "127.0.0.1:\(place.port)"])) { process in
      try await process.wait(for: "locations") { !process.output.isEmpty }
      try await body { path, host in
        let client = try Client.tcp(Int(place.port))
        client.send("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        return await client.rest()
      }
    }
  }
}
