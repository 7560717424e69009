import Foundation
import Serving
import HeadlessMap
import LocationKit
import TestSupport
import Testing

@testable import MapPage
@testable import Tracks

@MainActor @Suite(.inTurn) struct MapPageTests {
  private func source(_ state: [String: Any]) -> [String] {
    let source = state["source"] as? [String: String] ?? [:]
    return ["status", "message"].map { source[$0] ?? "" }
  }

  @Test func itBeginsWithWhatItIsMadeWith() async throws {
    let fixture = try await PageFixture()
    let state = try await fixture.state()
    #expect(state["version"] as? String == "1.2")
    #expect(
      state["source"] as? [String: String] == ["name": "here", "kind": "gpsd", "status": "waiting", "message": ""])
    #expect(state["fix"] as? String == "none" && state["age"] == nil && state["location"] == nil)
    #expect(state["tiles"] == nil && state["summary"] == nil && state["places"] == nil && state["region"] == nil)
    #expect(state["leaflet"] as? Bool == false && state["history"] == nil)
    #expect((state["help"] as? String)?.contains("libjs-leaflet") == true)
    for path in ["/state.json", "/trail.geojson", "/"] {
      let head = try await fixture.get(path).head
      #expect(head.contains("Content-Security-Policy: default-src 'none'; "), "\(path)")
      #expect(head.contains("Referrer-Policy: strict-origin-when-cross-origin"), "\(path)")
      #expect(head.contains("Cache-Control: no-"), "\(path)")
    }
    // It has no journal.
    for path in ["/history.json?", "/history.gpx?", "/quarters.json"] {
      #expect(try await fixture.get(path).head.contains(" 404 "))
    }
    await fixture.close()
  }

  @Test func eachFileSaysWhatItIs() async throws {
    let fixture = try await PageFixture()
    for (path, type) in [
      ("", "text/html; charset=utf-8"), ("map.css", "text/css; charset=utf-8"), ("icon.svg", "image/svg+xml"),
      ("main.js", "text/javascript; charset=utf-8"),
    ] {
      let head = try await fixture.get("/" + path).head
      #expect(head.contains("\r\nContent-Type: \(type)\r\n"), "\(head)")
    }
    await fixture.close()
  }

  @Test func aFixItsAgeAndItsTrail() async throws {
    let fixture = try await PageFixture()
    fixture.mapView.addOverlay(fixture.page.trail)
    let client = try await fixture.follow()
    fixture.mapView.updateUserLocation(fix(1, at: 0, speed: 3))
    let first = try await client.next()
    #expect(first.name == "location" && first.data["trail"] as? Bool == true && first.data["age"] as? Double == 0)
    #expect((first.data["location"] as? [String: Any])?["speed"] as? Double == 3)
    fixture.mapView.updateUserLocation(fix(1, at: 1))
    #expect(try await client.next().data["trail"] == nil, "too near")
    fixture.page.show(.lost(FixLoss(.receiver, location: fix(1, at: 1))))
    let loss = try await client.next()
    #expect(loss.name == "status" && loss.data["fix"] as? String == "none" && loss.data["age"] != nil)
    fixture.page.show(.lost(FixLoss(.receiver, location: fix(1, at: 1))))
    fixture.mapView.updateUserLocation(fix(1, at: 3))
    let second = try await client.next()
    #expect(second.name == "location" && second.data["trail"] as? String == "break", "a second loss says nothing new")
    let state = try await fixture.state()
    #expect(state["fix"] as? String == "current")
    let trail = try #require(state["trail"] as? [Any])
    #expect(trail.count == 3 && trail[1] is NSNull)
    let start = try #require(trail[0] as? [Any])
    #expect(start.compactMap { $0 as? Double } == [1, 2, 3, 1_700_000_000] && start[4] is NSNull)
    #expect((trail[2] as? [Any])?[2] is NSNull, "its speed is not known")
    #expect(fixture.page.trail.pointCount == 2 && fixture.page.trail.coordinates.first?.latitude == 1)
    // The page's clock runs on.
    let isOlder = await eventually { (try? await fixture.state()["age"] as? Double) ?? 0 > 0.05 }
    #expect(isOlder)
    await fixture.close()
  }

  @Test func aTrailThatIsTakenOffTheMapIsNeitherShownNorGoesOn() async throws {
    let fixture = try await PageFixture()
    fixture.mapView.updateUserLocation(fix(1, at: 0))
    #expect(fixture.page.trail.pointCount == 0)
    fixture.mapView.addOverlay(fixture.page.trail)
    fixture.mapView.updateUserLocation(fix(2, at: 1))
    #expect(try await (fixture.state()["trail"] as? [Any])?.count == 1)
    fixture.mapView.removeOverlay(fixture.page.trail)
    fixture.mapView.updateUserLocation(fix(3, at: 2))
    #expect(try await (fixture.state()["trail"] as? [Any])?.count == 0)
    #expect(fixture.page.trail.pointCount == 1)
    await fixture.close()
  }

  @Test(arguments: FixLoss.Reason.allCases)
  func onlyALossToTheReceiversWordIsNoStaleFix(reason: FixLoss.Reason) async throws {
    let fixture = try await PageFixture()
    // No fix has come at all: there is nothing that could be stale.
    fixture.page.show(.lost(FixLoss(reason)))
    #expect(try await fixture.state()["fix"] as? String == "none")
    fixture.mapView.updateUserLocation(fix(1, at: 0))
    fixture.page.show(.current)
    #expect(try await fixture.state()["fix"] as? String == "current")
    fixture.page.show(.lost(FixLoss(reason, location: fix(1, at: 0))))
    #expect(try await fixture.state()["fix"] as? String == (reason == .receiver ? "none" : "stale"))
    #expect(try await fixture.state()["location"] != nil, "the last one stays")
    await fixture.close()
  }

  @Test func fencesKeepTheirStateWhileTheyAreTheSame() async throws {
    let fixture = try await PageFixture()
    func circle(_ name: String, radius: Double) -> RegionCircle {
      let center = LocationCoordinate2D(latitude: 1, longitude: 2)
      return RegionCircle(Region(center: center, radius: radius, identifier: name))
    }
    func fences() async throws -> [String] {
      let fences = try await fixture.state()["fences"] as? [[String: Any]] ?? []
      return fences.map { fence in
        let numbers = ["radius", "latitude", "longitude"].map { fence[$0] as? Double ?? -1 }
        return "\(fence["id"] ?? "") \(fence["state"] ?? "") \(numbers)"
      }
    }
    let (home, work) = (circle("home", radius: 50), circle("work", radius: 60))
    fixture.mapView.addOverlay(home)
    let region = home.region
    fixture.page.show(.inside, of: region)
    #expect(try await fences() == ["home inside [50.0, 1.0, 2.0]"])
    fixture.mapView.addOverlay(work)
    #expect(try await fences() == ["home inside [50.0, 1.0, 2.0]", "work unknown [60.0, 1.0, 2.0]"])
    let client = try await fixture.follow()
    fixture.page.show(.inside, of: region)
    fixture.page.show(.outside, of: region)
    let change = try await client.next()
    #expect(change.name == "sides")
    #expect(change.data["list"] as? [[String]] == [["home", "outside"]], "inside was no change")
    // Another circle of that name is another fence.
    fixture.mapView.removeOverlay(home)
    #expect(try await fences() == ["work unknown [60.0, 1.0, 2.0]"])
    let larger = circle("home", radius: 70)
    fixture.mapView.addOverlay(larger)
    #expect(try await fences() == ["work unknown [60.0, 1.0, 2.0]", "home unknown [70.0, 1.0, 2.0]"])
    // Also while the first is there.
    fixture.page.show(.outside, of: region)
    fixture.page.show(.inside, of: larger.region)
    fixture.mapView.addOverlay(circle("home", radius: 80))
    #expect(try await fences().dropFirst() == ["home inside [70.0, 1.0, 2.0]", "home unknown [80.0, 1.0, 2.0]"])
    await fixture.close()
  }

  @Test func polygonsHaveTheirOutlineOnOneSideOfTheMap() async throws {
    let fixture = try await PageFixture()
    func box(_ west: Double, _ east: Double) -> [[LocationCoordinate2D]] {
      [[(-18.0, west), (-18, east), (-17, east), (-17, west)].map { .init(latitude: $0.0, longitude: $0.1) }]
    }
    let region = PolygonalRegion(polygons: [box(177, 180), box(-180, -179)], identifier: "fiji")
    fixture.mapView.addOverlay(RegionCircle(.polygon(region)))
    let fence = try #require((try await fixture.state()["fences"] as? [[String: Any]])?.first)
    let polygons = try #require(fence["polygons"] as? [[[[Double]]]])
    #expect(fence["id"] as? String == "fiji" && fence["state"] as? String == "unknown")
    #expect(
      polygons.map { $0.map { $0.map { $0[0] } } } == [[[-18, -18, -17, -17, -18]], [[-18, -18, -17, -17, -18]]])
    #expect(
      polygons.map { $0.map { $0.map { $0[1] } } } == [[[177, 180, 180, 177, 177]], [[180, 181, 181, 180, 180]]])
    await fixture.close()
  }

  @Test func aRegionIsSentWhenItIsAnother() async throws {
    let fixture = try await PageFixture()
    let client = try await fixture.follow()
    let region = CoordinateRegion(
      center: LocationCoordinate2D(latitude: 3, longitude: 4),
      span: CoordinateSpan(latitudeDelta: 1, longitudeDelta: 2))
    fixture.mapView.region = region
    fixture.mapView.region = region
    fixture.mapView.centerCoordinate = LocationCoordinate2D(latitude: 5, longitude: 6)
    for latitude in [3.0, 5] {
      let found = try await client.next()
      #expect(found.name == "region")
      #expect((found.data["center"] as? [String: Double])?["latitude"] == latitude)
      #expect((found.data["span"] as? [String: Double])?["longitudeDelta"] == 2)
    }
    #expect(try await (fixture.state()["region"] as? [String: Any])?["span"] != nil)
    await fixture.close()
  }

  @Test func whatTheSourceDoes() async throws {
    let fixture = try await PageFixture()
    let satellite = Satellite(system: .gps, number: 5, azimuth: 10, elevation: 20, signal: 30, isUsed: true)
    let unknown = Satellite(system: .galileo, number: 7, isUsed: false)
    for (status, words, satellites) in [
      (.idle, ["waiting", ""], 0), (.connecting, ["waiting", "connecting to gpsd at here"], 0),
      (.connected(devices: []), ["connected", "gpsd has no receiver"], 2),
      (.connected(devices: ["/dev/gps"]), ["connected", ""], 2),
      (.waiting(reason: "refused", retryIn: 1), ["waiting", "no gpsd at here: refused"], 0),
      (.finished, ["ended", "here has ended"], 0),
    ] as [(LocationSourceStatus, [String], Int)] {
      fixture.page.show([satellite, unknown])
      fixture.page.show(status)
      let state = try await fixture.state()
      #expect(source(state) == words)
      #expect((state["satellites"] as? [Any])?.count == satellites, "\(status)")
      let isRefused = words[1].hasSuffix("refused")
      #expect((state["source"] as? [String: String])?["reason"] == (isRefused ? "refused" : nil))
    }
    fixture.page.show([satellite, unknown])
    let list = try #require(try await fixture.state()["satellites"] as? [[String: Any]])
    #expect(list[0]["system"] as? String == "GPS" && list[0]["number"] as? Int == 5)
    #expect(["azimuth", "elevation", "signal"].map { list[0][$0] as? Double } == [10, 20, 30])
    #expect(list.map { $0["used"] as? Bool } == [true, false])
    #expect(list[1].keys.sorted() == ["number", "system", "used"])
    await fixture.close()

    let replay = try await PageFixture(kind: .replay)
    replay.page.show(.connecting)
    #expect(source(try await replay.state()) == ["waiting", "opening here"])
    replay.page.show(.connected(devices: []))
    #expect(source(try await replay.state()) == ["connected", ""])
    await replay.close()
  }

  @Test func whatOnlyThePageNeedsGoesWithItsAudience() async throws {
    let fixture = try await PageFixture { $0.patience = 0.01 }
    let audience = Recorder<Bool>()
    fixture.page.onAudience = { audience.record($0) }
    #expect(await eventually { audience.values.last == false })
    do {
      let client = try Client.tcp(fixture.port)
      client.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(await eventually { audience.values.last == true })
      fixture.page.show([Satellite(system: .gps, number: 5, isUsed: true)])
      #expect((try await fixture.state()["satellites"] as? [Any])?.count == 1)
      withExtendedLifetime(client) {}
    }
    #expect(await eventually { audience.values.last == false })
    #expect((try await fixture.state()["satellites"] as? [Any])?.isEmpty == true)
    await fixture.close()
  }

  @Test func aRecordingIsShownInPlaceOfWhatIsLive() async throws {
    let fixture = try await PageFixture(kind: .track)
    fixture.page.show(reading: "reading here")
    #expect(source(try await fixture.state()) == ["waiting", "reading here"])
    #expect(try await fixture.state()["summary"] == nil)
    var recording = MapRecording()
    recording.trail.append(fix(1, at: 0))
    recording.figures = Array(#"{"distance":1000}"#.utf8)
    func place(_ latitude: Double) -> LocationCoordinate2D { .init(latitude: latitude, longitude: 9) }
    recording.ends = (place(7), place(10))
    recording.stops = [Stop(coordinate: place(8), arrival: .now, departure: .now, fixes: 0..<1)]
    let client = try await fixture.follow()
    fixture.page.show(recording)
    let whole = try await client.next()
    #expect(whole.name == "state", "no event says how")
    for state in [whole.data, try await fixture.state()] {
      #expect(source(state) == ["ended", ""])
      #expect((state["trail"] as? [Any])?.count == 1)
      #expect(state["summary"] as? [String: Int] == ["distance": 1000])
      let places = try #require(state["places"] as? [[String: Any]])
      #expect(places.map { $0["name"] as? String } == ["Start", "1", "End"])
      #expect(places.map { $0["kind"] as? String } == ["start", "stop", "end"])
      #expect(places.map { $0["latitude"] as? Double } == [7, 8, 10])
      #expect(places.allSatisfy { $0["longitude"] as? Double == 9 })
    }
    await fixture.close()
  }

  @Test func anEarlierTrailStandsBeforeThatOfThisRun() async throws {
    let fixture = try await PageFixture()
    fixture.mapView.addOverlay(fixture.page.trail)
    fixture.mapView.updateUserLocation(fix(1, at: 100))
    var earlier = TrailLine()
    earlier.append(fix(0, at: 0))
    let client = try await fixture.follow()
    fixture.page.show(earlier: earlier)
    let whole = try await client.next()
    #expect(whole.name == "state")
    let trail = try #require(whole.data["trail"] as? [Any])
    #expect(trail.count == 3 && trail[1] is NSNull, "a minute and more lies between them")
    await fixture.close()
  }

  @Test func theTrailAsADocument() async throws {
    let fixture = try await PageFixture()
    fixture.mapView.addOverlay(fixture.page.trail)
    for second in 0..<3 {
      fixture.mapView.updateUserLocation(fix(Double(second), at: Double(second), speed: second == 0 ? nil : 4))
    }
    fixture.page.show(.lost(FixLoss(.receiver, location: fix(2, at: 2))))
    fixture.mapView.updateUserLocation(fix(9, at: 9))
    func features(_ query: String = "") async throws -> [[String: Any]] {
      let answer = try await fixture.get("/trail.geojson" + query)
      #expect(answer.head.contains("application/geo+json"))
      return try members(of: answer.body)["features"] as? [[String: Any]] ?? []
    }
    func kinds(_ features: [[String: Any]]) -> [String] {
      features.map { feature in
        let geometry = feature["geometry"] as? [String: Any]
        return "\(geometry?["type"] ?? "") \((geometry?["coordinates"] as? [Any])?.count ?? 0)"
      }
    }
    let all = try await features()
    #expect(kinds(all) == ["LineString 3", "MultiPoint 1"])
    #expect((all[0]["geometry"] as? [String: Any])?["coordinates"] as? [[Double]] == [[2, 0], [2, 1], [2, 2]])
    let properties = try #require(all[0]["properties"] as? [String: Any])
    #expect((properties["coordTimes"] as? [String])?.first == "2023-11-14T22:13:20.000Z")
    let speeds = try #require(properties["speeds"] as? [Any])
    #expect(speeds[0] is NSNull && speeds[1] as? Double == 4)
    // A time counts from itself on, and so does what is not to the second.
    #expect(kinds(try await features("?since=2023-11-14T22:13:21Z")) == ["LineString 2", "MultiPoint 1"])
    #expect(kinds(try await features("?since=2023-11-14T22:13:21.001Z")) == ["MultiPoint 1", "MultiPoint 1"])
    #expect(try await fixture.get("/trail.geojson?since=now").head.hasPrefix("HTTP/1.1 400 "))
    await fixture.close()
  }

  @Test func tilesOfAServer() async throws {
    let tiles = try MapTiles(url: "https://tiles.example:8080/{z}/{x}/{y}.png", attribution: "Nobody")
    let fixture = try await PageFixture { $0.tiles = tiles }
    let found = try #require(try await fixture.state()["tiles"] as? [String: Any])
    #expect(found["url"] as? String == "https://tiles.example:8080/{z}/{x}/{y}.png")
    #expect(found["attribution"] as? String == "Nobody")
    #expect(found["minZoom"] as? Int == 0 && found["maxZoom"] as? Int == 19)
    #expect(try await fixture.get("/").head.contains("img-src 'self' data: https://tiles.example:8080;"))
    #expect(try await fixture.get("/tiles/0/0/0").head.hasPrefix("HTTP/1.1 404 "))
    await fixture.close()
  }
}
