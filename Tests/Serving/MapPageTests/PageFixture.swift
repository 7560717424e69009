import Foundation
import Serving
import HeadlessMap
import LocationKit
import TestSupport
import Platform
import Testing

@testable import MapPage

struct PageServer {
  let port: Int
  private let loop: NetworkLoop
  private let server: HTTPServer

  init(on loop: NetworkLoop = NetworkLoop(), _ routes: [String: HTTPRoute]) async throws {
    self.loop = loop
    server = HTTPServer(on: loop, routes: routes)
    try await server.listen(on: Endpoint(port: 0), name: "test")
    port = try #require(server.ports.first)
  }

  func get(_ path: String, _ fields: String = "") async throws -> (head: String, body: String) {
    let client = try Client.tcp(port)
    client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
    let parts = await client.rest().split(separator: "\r\n\r\n", maxSplits: 1).map(String.init)
    return (parts.first ?? "", parts.count > 1 ? parts[1] : "")
  }

  func close() async {
    await server.shutdown()
    await loop.shutdown()
  }
}

@MainActor protocol ServedPage {
  var served: PageServer { get }
}

extension ServedPage {
  var port: Int { served.port }

  func get(_ path: String, _ fields: String = "") async throws -> (head: String, body: String) {
    try await served.get(path, fields)
  }

  func object(_ path: String) async throws -> [String: Any] { try members(of: await get(path).body) }

  func close() async { await served.close() }
}

@MainActor
final class PageFixture: ServedPage {
  let mapView = MapView()
  let page: MapPage
  let served: PageServer

  init(
    kind: MapPage.Configuration.Kind = .gpsd, _ configure: (inout MapPage.Configuration) -> Void = { _ in }
  ) async throws {
    var configuration = MapPage.Configuration(version: "1.2", source: "here", kind: kind)
    configuration.leafletFolder = "/nonexistent"
    configure(&configuration)
    let loop = NetworkLoop()
    page = MapPage(on: loop, configuration)
    mapView.delegate = page
    mapView.showsUserLocation = true
    served = try await PageServer(on: loop, page.routes)
  }

  func state() async throws -> [String: Any] { try await object("/state.json") }

  /// What changes from now on.
  func follow() async throws -> PageEvents { try await PageEvents(port) }
}

func members(of text: String) throws -> [String: Any] {
  try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
}

/// A fix, so many seconds after a fixed moment.
func fix(_ latitude: Double, _ longitude: Double = 2, at seconds: Double = 0, speed: Double? = nil) -> Location {
  Location(
    coordinate: LocationCoordinate2D(latitude: latitude, longitude: longitude), speed: speed,
    timestamp: Date(timeIntervalSince1970: 1_700_000_000 + seconds))
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
