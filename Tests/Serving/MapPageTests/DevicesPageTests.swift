import Foundation
import Serving
import LocationKit
import TestSupport
import Platform
import Testing

@testable import MapPage

/// What a page of many devices tells, when it tells it, and what it serves.
@MainActor @Suite(.inTurn) struct DevicesPageTests {
  private func list(_ bytes: [UInt8]) throws -> [[Any]] {
    try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [[Any]])
  }

  // MARK: The state

  @Test func aDeviceTellsWhatIsKnownOfIt() throws {
    var state = DevicesState(.init(version: "1"), help: nil)
    state.change("a", isFollowed: true) { $0.apply(.searching) }
    state.change("b", isFollowed: true) { $0.apply(fix(1, at: 5, speed: 3)) }
    state.change("b", isFollowed: true) { $0.name = "Ann" }
    let changes = try list(state.removeChanges())
    #expect(changes.map { $0[0] as? String } == ["a", "b"], "each once, in the order in which they changed")
    #expect(changes[0][2] as? Int == 0 && changes[0][3...].allSatisfy { $0 is NSNull })
    #expect(changes[1][1] as? String == "Ann" && changes[1][2] as? Int == 1)
    #expect(changes[1][3...6].map { $0 as? Double } == [1, 2, 1_700_000_005, 3])
    #expect(changes[1][7] is NSNull, "its altitude is not known")
    #expect(!state.hasChanges)
  }

  @Test func onlyWhatWasSomewhereGoesStale() throws {
    var state = DevicesState(.init(version: "1"), help: nil)
    state.change("a", isFollowed: true) { $0.apply(.lost(FixLoss(.silence, location: nil))) }
    state.change("b", isFollowed: true) { $0.apply(fix(1)) }
    state.change("b", isFollowed: true) { $0.apply(.lost(FixLoss(.silence, location: fix(1)))) }
    #expect(try list(state.removeChanges()).map { $0[2] as? Int } == [0, 2])
  }

  @Test func whatNobodyFollowsIsNotGathered() {
    var state = DevicesState(.init(version: "1"), help: nil)
    state.change("a", isFollowed: false) { $0.apply(fix(1)) }
    #expect(!state.hasChanges && state.contains("a"))
  }

  @Test func anEventIsBoundedAndTheRestWaits() throws {
    var state = DevicesState(.init(version: "1"), help: nil)
    let count = DevicesState.eventLimit + 3
    for index in 0..<count { state.change("d\(index)", isFollowed: true) { $0.apply(fix(1)) } }
    // It has been waiting, and does not lose its place.
    state.change("d0", isFollowed: true) { $0.apply(fix(2)) }
    let first = try list(state.removeChanges())
    #expect(first.count == DevicesState.eventLimit && first[0][3] as? Double == 2)
    #expect(state.hasChanges)
    #expect(try list(state.removeChanges()).map { $0[0] as? String } == ["d5000", "d5001", "d5002"])
    #expect(!state.hasChanges)
  }

  @Test func fencesAroundADeviceAreNamed() async throws {
    let fixture = try await DevicesFixture()
    for (state, fence) in [(RegionState.inside, "home"), (.inside, "town"), (.inside, "home"), (.outside, "town")] {
      fixture.page.show(state, of: fence, for: "a")
    }
    fixture.page.show(.outside, of: "home", for: "b")
    fixture.page.show(battery: 80, of: "b")
    let devices = try #require(try await fixture.object("/devices.json")["devices"] as? [[Any]])
    #expect(devices[0].last as? [String] == ["home"] && devices[0][10] is NSNull)
    #expect(devices[1].count == 11 && devices[1][10] as? Int == 80, "a device outside has no list")
    await fixture.close()
  }

  @Test("an outage is told once, and its end")
  func outage() async throws {
    let fixture = try await DevicesFixture()
    let client = try await PageEvents(fixture.port)
    let since = Date(timeIntervalSince1970: 1_700_000_000)
    for _ in 0..<2 { fixture.page.show(outage: ("connection refused", since)) }
    #expect(
      try await fixture.get("/devices.json").body.contains(#""outage":{"reason":"connection refused","since":"2023-"#))
    fixture.page.show(outage: nil)
    let first = try await client.next()
    let outage = try #require(first.data["outage"] as? [String: Any])
    #expect(first.name == "status" && outage["reason"] as? String == "connection refused")
    #expect(try await client.next().data.isEmpty)
    await fixture.close()
  }

  // MARK: The page

  @Test func aSecondOfADeviceIsOneEntry() async throws {
    let fixture = try await DevicesFixture()
    let client = try await PageEvents(fixture.port)
    fixture.page.show(fix(1), of: "a")
    fixture.page.show(fix(2), of: "a")
    fixture.page.show(name: "Ann", of: "a")
    fixture.clock.advance(by: 0.5)
    fixture.page.show(.lost(FixLoss(.silence, location: fix(2))), of: "a")
    fixture.page.show(.searching, of: "b")
    fixture.clock.advance(by: 0.5)
    let first = try await client.next()
    let entries = try #require(first.data["list"] as? [[Any]])
    #expect(first.name == "devices" && entries.count == 2)
    #expect(entries[0][0] as? String == "a" && entries[0][1] as? String == "Ann")
    #expect(entries[0][2] as? Int == 2 && entries[0][3] as? Double == 2)
    fixture.clock.advance(by: 5)
    fixture.page.show(fix(3), of: "b")
    fixture.clock.advance(by: 1)
    let second = try #require(try await client.next().data["list"] as? [[Any]])
    #expect(second.map { $0[0] as? String } == ["b"], "what has been told is not told again")
    await fixture.close()
  }

  @Test func theWholeHasAnyNameThatADeviceCanHave() async throws {
    let name = "\"</script><b>\\\u{1}é🛰"
    let fixture = try await DevicesFixture {
      $0.fences = [
        Region(
          center: LocationCoordinate2D(latitude: 5, longitude: 6), radius: 70, identifier: "<home>")
      ]
      $0.units = .nautical
    }
    fixture.page.show(fix(1), of: name)
    let answer = try await fixture.get("/devices.json")
    for field in ["Content-Security-Policy: default-src 'none'; ", "Cache-Control: no-store"] {
      #expect(answer.head.contains(field))
    }
    let whole = try members(of: answer.body)
    #expect((whole["devices"] as? [[Any]])?.first?.first as? String == name)
    #expect((whole["fences"] as? [[String: Any]])?.first?["id"] as? String == "<home>")
    #expect(whole["units"] as? String == "nautical")
    #expect(whole["history"] == nil && whole["now"] is String)
    #expect(whole["leaflet"] as? Bool == false && (whole["help"] as? String)?.contains("libjs-leaflet") == true)
    #expect(try await fixture.get("/trail.json?device=a").head.contains(" 404 "), "there is no journal")
    await fixture.close()
  }

  @Test func aTrailIsThatOfItsDeviceSinceATime() async throws {
    let fixture = try await DevicesFixture {
      $0.history = { device, since, until, limit, _ throws(MapHistoryError) in
        if device == "cut" { return Array(repeating: Location(latitude: 1, longitude: 2), count: limit) }
        guard device == "ann/car &" else { throw MapHistoryError("the disk is on fire") }
        let start = since?.timeIntervalSince1970 ?? 0
        let places: [Double?] = [1, 1, nil, 2, Double(limit) / 1000, until == nil ? 30 : 31]
        return places.map { latitude in
          latitude.map {
            Location(
              coordinate: LocationCoordinate2D(latitude: $0, longitude: 3),
              timestamp: Date(timeIntervalSince1970: start))
          }
        }
      }
    }
    fixture.page.show(fix(1), of: "ann/car &")
    fixture.page.show(fix(1), of: "bob")
    let answer = try await fixture.get("/trail.json?device=ann%2Fcar%20%26&since=2024-02-24T07:36:03Z")
    let points = try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [Any])
    #expect(points.map { ($0 as? [Any])?[0] as? Double } == [1, nil, 2, 20, 30], "twice in one place is once")
    #expect((points[0] as? [Any])?[3] as? Double == 1_708_760_163)
    #expect(answer.head.contains("Cache-Control: no-store"))
    #expect(!answer.head.contains("X-Newest"))
    fixture.page.show(fix(1), of: "cut")
    #expect(try await fixture.get("/trail.json?device=cut").head.contains("X-Newest: 20000"))
    let times = "since=2024-02-24T07:36:03Z&until=2024-02-25T00:00:00Z"
    let period = try await fixture.get("/trail.json?device=ann%2Fcar%20%26&\(times)")
    let last = try #require(try JSONSerialization.jsonObject(with: Data(period.body.utf8)) as? [Any]).last
    #expect((last as? [Any])?[0] as? Double == 31)
    for (query, status, text) in [
      ("?device=bob&until=noon", 400, "until: expected"),
      ("", 400, "device: expected"), ("?device=bob&since=noon", 400, "since: expected"),
      ("?device=eve", 404, "no such device"), ("?device=bob", 503, "the disk is on fire"),
    ] {
      let answer = try await fixture.get("/trail.json\(query)")
      #expect(answer.head.contains(" \(status) ") && answer.body.contains(text), "\(query): \(answer)")
    }
    await fixture.close()
  }
}

/// A page of many devices on a server, whose seconds the test moves.
@MainActor
private final class DevicesFixture: ServedPage {
  let clock = VirtualClock()
  let page: DevicesPage
  let served: PageServer

  init(_ configure: (inout DevicesPage.Configuration) -> Void = { _ in }) async throws {
    var configuration = DevicesPage.Configuration(version: "1.2")
    configuration.leafletFolder = "/nonexistent"
    configure(&configuration)
    let loop = NetworkLoop()
    page = DevicesPage(on: loop, configuration, clock: clock)
    served = try await PageServer(on: loop, page.routes)
  }
}
