import ArgumentParser
import CSQLite
import Foundation
import Serving
import Journal
import LocationKit
import Writing
import TestSupport
import Testing

@testable import rxlocationd

@MainActor @Suite(.inTurn) struct JournalOutputTests {
  private let folder = TestSupport.TemporaryFolder()
  private var journal: String { folder.path("journal.db") }

  private func stage(_ arguments: String...) async throws -> OutputStage<JournalOutput> {
    try await OutputStage(JournalOutput.self, ["--journal", journal] + arguments, isReplay: true)
  }

  @Test func anErrorHasTheTimeOfTheFixBeforeIt() async throws {
    let stage = try await stage()
    stage.pipeline.start(knowing: [])
    stage.source.send(.failed(LocationError(.network, "no gpsd")))
    let time = Date(timeIntervalSince1970: 1_750_000_000)
    stage.source.send(.location(Location(coordinate: .init(latitude: 1, longitude: 2), timestamp: time)))
    stage.source.send(.failed(LocationError(.network, "gone")))
    await stage.close()
    let entries = try JournalReader(path: journal).entries(after: 0, limit: 9)
    let errors = entries.compactMap { entry -> (String, Date?)? in
      if case .error(let error, let time) = entry.record { (error.message, time) } else { nil }
    }
    #expect(errors.map(\.0) == ["no gpsd", "gone"])
    #expect(errors.map(\.1) == [nil, time])
  }

  @Test func aSparedDiskGetsFixesThatHaveMovedAndOneInFourMinutes() async throws {
    let stage = try await stage("--spare-disk")
    stage.pipeline.start(knowing: [])
    func send(_ seconds: Double, _ metres: Double) {
      let coordinate = LocationCoordinate2D(latitude: 48 + metres / 111_200, longitude: 11)
      let time = Date(timeIntervalSince1970: 1_750_000_000 + seconds)
      stage.source.send(.location(Location(coordinate: coordinate, timestamp: time)))
    }
    for (seconds, metres) in [(0.0, 0.0), (1, 8), (2, 12), (3, 12), (100, 4), (241, 12), (242, 12), (243, 12)] {
      send(seconds, metres)
    }
    stage.source.send(.failed(LocationError(.locationUnknown, "lost")))
    send(244, 12)
    await stage.close()
    let entries = try JournalReader(path: journal).entries(after: 0, limit: 9)
    let times = entries.compactMap { entry -> Double? in
      if case .location(let location) = entry.record {
        location.timestamp.map { $0.timeIntervalSince1970 - 1_750_000_000 }
      } else {
        nil
      }
    }
    #expect(times == [0, 2, 242, 244])
  }

  @Test func whatGoesBeforeAReaderHasItIsCounted() async throws {
    let registry = MetricsRegistry()
    let stage = try await stage("--journal-limit", "1M")
    stage.output.addMetrics(to: registry)
    let reader = try JournalReader(path: journal, name: "slow", startingAt: .oldest)
    stage.pipeline.start(knowing: [])
    for number in 0..<4000 {
      var location = Location(latitude: Double(number) / 1000, longitude: 2)
      // Three mebibytes in all.
      location.sourceInformation = LocationSourceInformation(device: String(repeating: "x", count: 800))
      stage.source.send(.location(location))
    }
    await stage.close()
    let text = registry.text()
    #expect(value("rxlocationd_journal_rows_total", in: text) == 4000)
    #expect(value("rxlocationd_journal_unread_rows_total", in: text) ?? 0 > 0)
    #expect(value("rxlocationd_journal_dropped_records_total", in: text) == 0)
    withExtendedLifetime(reader) {}
  }

  @Test func aJournalThatBeginsToFailIsCounted() async throws {
    let registry = MetricsRegistry()
    let stage = try await stage()
    stage.output.addMetrics(to: registry)
    var other: OpaquePointer?
    try #require(sqlite3_open(journal, &other) == SQLITE_OK)
    try #require(sqlite3_exec(other, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
    stage.pipeline.start(knowing: [])
    stage.source.send(.location(Location(latitude: 1, longitude: 2)))
    #expect(await eventually { value("rxlocationd_journal_failures_total", in: registry.text()) == 1 })
    sqlite3_close(other)
    await stage.close()
    #expect(value("rxlocationd_journal_rows_total", in: registry.text()) == 1)
    #expect(value("rxlocationd_journal_dropped_records_total", in: registry.text()) == 0)
  }

  /// The states that the next start finds.
  private func keptFences() async throws -> [FenceState] {
    let writer = try JournalWriter(path: journal, limit: 1 << 20, mode: .replay)
    let fences = writer.fences
    _ = await writer.finish()
    return fences
  }

  @Test func aFenceThatIsTakenAwayIsForgotten() async throws {
    let stage = try await stage("--fence", "home=1,2,500")
    stage.pipeline.start(knowing: [])
    stage.source.send(.location(Location(latitude: 1, longitude: 2)))
    stage.pipeline.apply(try Settings.parse([]))
    await stage.close()
    #expect(try await keptFences().isEmpty)
  }

  /// A state counts for a day, and for a fence at the same place.
  @Test(arguments: [(3.0, 1.0, 0), (1, 1, 1), (1, 86_400, 1), (1, 86_401, 0)])
  func whatIsKnownOfAFenceElsewhereOrLongAgoDoesNotCount(latitude: Double, age: Double, crossings: Int) async throws {
    let stage = try await stage("--fence", "home=1,2,500")
    let time = Date(timeIntervalSince1970: 1_750_000_000)
    let known = Region(center: .init(latitude: latitude, longitude: 2), radius: 500, identifier: "home")
    stage.pipeline.start(knowing: [FenceState(region: known.circle, state: .inside, time: time)])
    stage.source.send(.location(Location(coordinate: .init(latitude: 5, longitude: 2), timestamp: time + age)))
    await stage.close()
    let entries = try JournalReader(path: journal).entries(after: 0, limit: 9)
    #expect(entries.count { if case .crossing = $0.record { true } else { false } } == crossings)
  }
}
