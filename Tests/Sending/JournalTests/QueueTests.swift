import LocationKit
import Writing
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Journal

/// The queue in memory of a run without a journal.
@Suite(.inTurn) struct QueueTests {
  private func append(_ numbers: ClosedRange<Int>, to queue: MemoryJournal) {
    for number in numbers { queue.append(.location(location(number))) }
  }

  @Test func rowsThatAllReadersHaveReadAreDeleted() throws {
    let queue = try MemoryJournal(limit: 1 << 22, mode: .live)
    let readers = [queue.reader(named: "publish"), queue.reader(named: "database")]
    append(1...1000, to: queue)
    readers[0].advance(to: 1000)
    append(1001...1100, to: queue)
    #expect(readers[1].entries(after: 0, limit: 2000).count == 1100, "the other reader has read nothing")
    readers[1].advance(to: 900)
    append(1101...1200, to: queue)
    #expect(readers[1].entries(after: 0, limit: 2000).map(\.sequence) == Array(901...1200))
    #expect(readers[1].entries(after: 950, limit: 2).map(\.record) == [951, 952].map { .location(location($0)) })
    #expect(readers[1].waiting() == JournalWaiting(count: 300, oldest: location(901).timestamp, gone: 900))
    // All rows are read, and the numbers go on. A reader never goes back, and a new one begins with the next row.
    for reader in readers { reader.advance(to: 1200) }
    readers[0].advance(to: 3)
    append(1201...3300, to: queue)
    #expect(readers[0].cursor == 1200 && queue.reader(named: "new").cursor == 3300)
    for reader in readers { reader.advance(to: 3300) }
    #expect(readers[0].waiting() == JournalWaiting(count: 0, gone: 3300))
    append(3301...3400, to: queue)
    #expect(readers[0].entries(after: 3300, limit: 200).map(\.sequence) == Array(3301...3400))
    #expect(queue.statistics.unread == 0 && queue.statistics.account.written == 3400)
  }

  @Test func theOldestRowsOfALiveQueueGoAtItsLimitAndAreCounted() throws {
    let notices = Recorder<OutputNotice>()
    let queue = try MemoryJournal(limit: 640 * 512, mode: .live) { notices.record($0) }
    let (slow, fast) = (queue.reader(named: "slow"), queue.reader(named: "fast"))
    append(1...640, to: queue)
    fast.advance(to: 636)
    #expect(queue.statistics.unread == 0 && notices.values.isEmpty)
    append(641...641, to: queue)
    #expect(slow.entries(after: 0, limit: 1000).map(\.sequence) == Array(11...641))
    #expect(slow.waiting().gone == 10 && queue.statistics.unread == 10)
    #expect(
      notices.values.count == 1 && notices.values[0].message.contains("10 rows were deleted before the reader slow"))
    #expect(fast.entries(after: 636, limit: 9).count == 5)
  }

  @Test func aReplayWaitsForItsReadersAtTheLimit() async throws {
    let queue = try MemoryJournal(limit: 64 * 512, mode: .replay)
    let reader = queue.reader(named: "publish")
    append(1...64, to: queue)
    let done = Mutex(false)
    let thread = Task.detached {
      for number in 65...200 { queue.append(.location(location(number))) }
      done.withLock { $0 = true }
    }
    for cursor in 1...136 {
      #expect(!done.withLock { $0 })
      reader.advance(to: Int64(cursor))
      #expect(await eventually { queue.statistics.newest == Int64(cursor + 64) })
    }
    await thread.value
    #expect(queue.statistics.unread == 0 && reader.waiting().count == 64)
    // Who waits for room is released by the end, and what comes after it is lost.
    let late = Task.detached { queue.append(.location(location(201))) }
    queue.cancel()
    await late.value
    #expect(queue.statistics.account.drops == [.end: 1])
  }

  @Test func theFencesOfEachRowAreKnown() throws {
    func cross(_ fence: CircularRegion, _ state: RegionState) -> JournalRecord {
      .crossing(RegionCrossing(.circle(fence), state, at: location(1)))
    }
    let fences = ["home", "work"].map { CircularRegion(center: location(1).coordinate, radius: 50, identifier: $0) }
    let queue = try MemoryJournal(limit: 1 << 20, mode: .live)
    let reader = queue.reader(named: "publish")
    queue.remember(FenceState(region: fences[1], state: .inside, time: nil))
    for state in [RegionState.inside, .outside, .inside] { queue.append(cross(fences[0], state)) }
    #expect((0...3).map { reader.fenceStates(after: Int64($0))["home"] } == [false, true, false, true])
    #expect(reader.fenceStates(after: 0)["work"] == true)
    // A fence that has moved is another one.
    queue.keepFences([CircularRegion(center: location(2).coordinate, radius: 50, identifier: "work"), fences[0]])
    #expect(reader.fenceStates(after: 3) == ["home": true])
  }
}
