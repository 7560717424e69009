import ArgumentParser
import Foundation
import Journal
import LocationKit
import MapPage
import Writing
import TestSupport
import Testing

@testable import rxlocationd

@MainActor @Suite(.inTurn) struct MapOutputTests {
  private let folder = TestSupport.TemporaryFolder()
  private let port = LoopbackSocket.unusedPort()

  private func stage(_ arguments: String...) async throws -> OutputStage<MapOutput> {
    try await OutputStage(MapOutput.self, ["--map", "127.0.0.1:\(port)"] + arguments)
  }

  private func state() async throws -> [String: Any] { try await PageClient(port: port).object() }

  /// The fences that the page shows, each with its state.
  private func fences() async throws -> [String] {
    try await (state()["fences"] as? [[String: Any]] ?? []).map { "\($0["id"] ?? "") \($0["state"] ?? "")" }.sorted()
  }

  @Test(arguments: [(false, "gpsd"), (true, "replay")])
  func thePageSaysWhatIsFollowed(isReplay: Bool, kind: String) async throws {
    let stage = try await OutputStage(MapOutput.self, ["--map", "127.0.0.1:\(port)"], isReplay: isReplay)
    #expect(try await (state()["source"] as? [String: Any])?["kind"] as? String == kind)
    await stage.close()
  }

  /// They cost a receiver's reports, which nobody else may want.
  @Test func satellitesAreWantedForAsLongAsSomebodyLooks() async throws {
    let stage = try await stage()
    stage.pipeline.start(knowing: [])
    stage.output.page.onAudience?(true)
    #expect(stage.source.interests == [.locations, .satellites])
    stage.output.page.onAudience?(false)
    #expect(stage.source.interests == .locations)
    stage.output.page.onAudience?(true)
    #expect(stage.source.interests == [.locations, .satellites])
    await stage.close()
  }

  @Test func satellitesAreShownWhetherOrNotTheFixUsesThem() async throws {
    let stage = try await stage()
    stage.pipeline.start(knowing: [])
    // Whoever asks for the state counts as audience for a while.
    _ = try await state()
    #expect(await eventually { stage.source.interests.contains(.satellites) })
    stage.source.send(
      .satellites([Satellite(system: .gps, number: 1, isUsed: true), Satellite(system: .gps, number: 2)]))
    #expect(try await (state()["satellites"] as? [Any])?.count == 2)
    await stage.close()
  }

  @Test func aHiddenLocationIsNoLostOne() async throws {
    let stage = try await stage()
    stage.pipeline.start(knowing: [])
    stage.source.send(.location(Location(latitude: 1, longitude: 2)))
    stage.output.page.showHidden()
    #expect(try await state()["fix"] as? String == "hidden")
    stage.source.send(.location(Location(latitude: 1, longitude: 2)))
    #expect(try await state()["fix"] as? String == "current")
    await stage.close()
  }

  /// The journal is exact, so that only an exact page has a history.
  @Test(arguments: ["exact", "grid:1000"]) func onlyAnExactPageShowsThePast(policy: String) async throws {
    let stage = try await stage("--map-privacy", policy, "--journal", folder.path("j"))
    #expect(try await state()["history"] as? Bool == (policy == "exact" ? true : nil))
    #expect((stage.output.page.routes["/history.gpx"] != nil) == (policy == "exact"))
    await stage.close()
  }

  @Test func whoElseCanReachThePageIsAWarning() async throws {
    let stage = try await OutputStage(MapOutput.self, ["--map", "*:\(port)"])
    #expect(stage.notices.contains { $0.hasPrefix("warning: ") && $0.hasSuffix("see where the receiver is") })
    await stage.close()
  }

  @Test func aReloadChangesTheFencesThatAreDifferent() async throws {
    let stage = try await stage("--fence", "home=1,2,500")
    stage.pipeline.start(knowing: [])
    stage.source.send(.location(Location(latitude: 1, longitude: 2)))
    #expect(try await fences() == ["home inside"])
    stage.pipeline.apply(try Settings.parse(["--fence", "home=1,2,500", "--fence", "far=3,4,50"]))
    #expect(try await fences() == ["far unknown", "home inside"])
    stage.source.send(.location(Location(latitude: 1.0001, longitude: 2)))
    #expect(try await fences() == ["far outside", "home inside"])
    stage.pipeline.apply(try Settings.parse(["--fence", "far=3,4,50"]))
    #expect(try await fences() == ["far outside"])
    await stage.close()
  }

  @Test func theTrailIsThatOfAllRows() async throws {
    let journal = folder.path("journal.db")
    let writer = try JournalWriter(path: journal, limit: 1 << 22, mode: .replay)
    for number in 0..<2500 {
      writer.append(.location(Location(latitude: 48 + Double(number) / 1000, longitude: 11)))
    }
    #expect(await writer.finish() == .finished)
    let stage = try await stage("--journal", journal)
    #expect(await eventually { stage.output.page.trail.pointCount > 0 })
    #expect(stage.output.page.trail.pointCount == 2500)
    #expect(!stage.notices.contains { $0.contains("trail") })
    await stage.close()
  }

  @Test func aLossBreaksTheTrailOfTheJournal() async throws {
    let journal = folder.path("journal.db")
    let writer = try JournalWriter(path: journal, limit: 1 << 20, mode: .replay)
    for number in 0..<40 {
      let location = Location(
        coordinate: LocationCoordinate2D(latitude: 48.1 + Double(number) / 1000, longitude: 11.6),
        timestamp: Date(timeIntervalSince1970: 1_750_000_000 + Double(number)))
      writer.append(.location(location))
      if number == 9 { writer.append(.error(LocationError(.network, ""), location.timestamp)) }
      if number == 19 { writer.append(.error(LocationError(.locationUnknown, ""), location.timestamp)) }
    }
    #expect(await writer.finish() == .finished)
    let stage = try await stage("--journal", journal)
    #expect(await eventually { stage.output.page.trail.pointCount > 0 })
    let trail = try await PageClient(port: port).get("/trail.geojson")
    #expect(trail.components(separatedBy: "LineString").count == 3, "two lines: \(trail.prefix(600))")
    await stage.close()
  }

  @Test func withoutLeafletThePageSaysWhatToInstall() async throws {
    let stage = try await stage("--map-assets", folder.path("none"))
    #expect(stage.notices.contains { $0.contains("install the package libjs-leaflet") }, "\(stage.notices)")
    let state = try await state()
    #expect(state["leaflet"] as? Bool == false && state["help"] as? String != nil)
    await stage.close()
  }

  @Test func whyThereIsNoTrailIsSaid() async throws {
    let journal = try folder.write("no journal", to: "journal.db")
    let stage = try await stage("--journal", journal)
    #expect(
      await eventually {
        stage.notices.contains {
          $0.hasPrefix("warning: map page: no trail: journal \(journal) is not an SQLite database")
        }
      }, "\(stage.notices)")
    await stage.close()
  }
}
