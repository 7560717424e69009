import Foundation
import Serving
import HeadlessMap
import TestSupport
import Platform
import Testing

@testable import MapPage

/// A page on a server, and the map that it shows.
@MainActor
final class PageFixture {
  let loop = NetworkLoop()
  let mapView = MapView()
  let page: MapPage
  let server: HTTPServer
  let port: Int

  init(kind: MapPage.Configuration.Kind = .gpsd, _ configure: (inout MapPage.Configuration) -> Void = { _ in })
    async throws
  {
    var configuration = MapPage.Configuration(version: "1.2", source: "here", kind: kind)
    configuration.leafletFolder = "/nonexistent"
    configure(&configuration)
    page = MapPage(on: loop, configuration)
    mapView.delegate = page
    mapView.showsUserLocation = true
    server = HTTPServer(on: loop, routes: page.routes)
    try await server.listen(on: Endpoint(port: 0), name: "test")
    port = try #require(server.ports.first)
  }

  func get(_ path: String) async throws -> (head: String, body: String) { try await answer(to: path, from: port) }

  func state() async throws -> [String: Any] {
    let body = try await get("/state.json").body
    return try #require(try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])
  }

  /// What changes from now on.
  func follow() async throws -> PageEvents { try await PageEvents(port) }

  func close() async {
    await server.shutdown()
    await loop.shutdown()
  }
}

/// What a server answers when it is asked for a path.
@MainActor
func answer(to path: String, from port: Int, _ fields: String = "") async throws -> (head: String, body: String) {
  let client = try Client.tcp(port)
  client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
  let answer = await client.rest()
  let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1).map(String.init)
  return (parts.first ?? "", parts.count > 1 ? parts[1] : "")
}

/// The events of a client that has had the whole.
@MainActor
final class PageEvents {
  private let all = Recorder<(name: String, data: String)>()
  private var taken = 1

  init(_ port: Int) async throws {
    Task.detached { [all] in
      let client = try Client.tcp(port)
      client.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
      var name = ""
      while let line = await client.line() {
        if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
        // A busy machine may take long enough for the heartbeat.
        if line.hasPrefix("data: "), name != "alive" { all.record((name, String(line.dropFirst(6)))) }
      }
    }
    let hasWhole = await eventually { [all] in !all.values.isEmpty }
    try #require(hasWhole)
  }

  func next() async throws -> (name: String, data: [String: Any]) {
    let index = taken
    taken += 1
    let hasCome = await eventually(within: 20) { [all] in all.values.count > index }
    try #require(hasCome, "event \(index) does not come after \(all.values.last?.name ?? "no event")")
    let event = all.values[index]
    let value = try JSONSerialization.jsonObject(with: Data(event.data.utf8))
    return (event.name, value as? [String: Any] ?? ["list": value])
  }
}
