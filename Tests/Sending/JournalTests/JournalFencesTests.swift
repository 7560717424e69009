import Foundation
import LocationKit
import Writing
import TestSupport
import Testing

@testable import Journal

extension JournalTests {
  @Test func knowsTheFencesOfEachRow() async throws {
    func cross(_ state: RegionState) -> JournalRecord {
      .crossing(
        RegionCrossing(
          .circle(home), state,
          at: Location(coordinate: home.center, horizontalAccuracy: 3, timestamp: everything.timestamp)))
    }
    let writer = try writer()
    let reader = try JournalReader(path: path)
    writer.append(.location(location(1)))
    // Seen to be inside, without a crossing.
    writer.remember(FenceState(region: home, state: .inside, time: everything.timestamp))
    writer.remember(FenceState(region: work, state: .outside, time: everything.timestamp))
    await writer.flush()
    #expect(try reader.fenceStates(after: 0)["home"] == true)
    for record in [cross(.outside), .location(location(2)), cross(.inside), cross(.outside)] { writer.append(record) }
    await writer.finish()
    #expect(try (0...5).map { try reader.fenceStates(after: $0)["home"] } == [true, true, false, false, true, false])
  }

  @Test func remembersFencesThatStayTheSame() async throws {
    var moved = home
    moved.radius = 60
    let time = Date(timeIntervalSince1970: 1_700_000_000)
    let first = try writer()
    first.remember(FenceState(region: home, state: .inside, time: time))
    first.remember(FenceState(region: work, state: .outside, time: time))
    first.append(.location(location(600)))
    await first.finish()
    let second = try writer()
    #expect(Set(second.fences.map(\.state)) == [.inside, .outside])
    // Each location was seen by the fences, too.
    #expect(second.fences.allSatisfy { $0.time == location(600).timestamp })
    second.keepFences([moved, work])
    second.confirmFences(at: time + 3600)
    await second.finish()
    let third = try writer()
    #expect(third.fences == [FenceState(region: work, state: .outside, time: time + 3600)])
    await third.finish()
  }

  @Test func fencesAreKnownByTheTimesThatTheyHadFirst() async throws {
    let writer = try writer()
    do {
      let reader = try JournalReader(path: path, name: "a")
      #expect(try reader.waypointTimes(of: [], now: 7) == [:])
      // No two have the same.
      #expect(try reader.waypointTimes(of: ["home", "work"], now: 7) == ["home": 7, "work": 8])
    }
    writer.append(.location(location(1)))
    #expect(await writer.finish() == .finished)
    let reader = try JournalReader(path: path, name: "b")
    #expect(try reader.waypointTimes(of: ["far", "work"], now: 5) == ["far": 9, "work": 8, "home": 7])
    #expect(try reader.waypointTimes(of: ["it's"], now: 100)["it's"] == 100)
    // What is new is nothing that the journal's writer has to mend.
    await (try self.writer()).finish()
    #expect(notices.values == [])
  }
}
