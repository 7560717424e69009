import Foundation
import LocationKit
import Writing
import Synchronization
import TestSupport
import Testing

@testable import Journal

/// Journals that are locked, cannot be written or lack something.
@Suite(.inTurn) struct OpeningTests: JournalSuite {
  let folder = TestSupport.TemporaryFolder()
  let notices = Recorder<OutputNotice>()

  /// Also when the lock comes between its last record and its end.
  @Test func aReplayWaitsForALock() async throws {
    let writer = try writer(.replay)
    let holder = try Transaction(path, writes: true)
    for number in 1...10 { writer.append(.location(location(number))) }
    let end = Task { await writer.finish() }
    #expect(await eventually { !notices.values.isEmpty })
    #expect(writer.statistics.isFailing && writer.statistics.failures == 1)
    holder.end()
    #expect(await end.value == .finished)
    #expect(writer.statistics.rows == 10)
    #expect(notices.values.map(\.severity) == [.error, .notice])
    #expect(notices.values.first?.message.contains("is locked by another program") == true)
  }

  @Test func aCancelledReplayWaitsForNoLock() async throws {
    let writer = try writer(.replay)
    let holder = try Transaction(path, writes: true)
    for number in 1...10 { writer.append(.location(location(number))) }
    let end = Task { await writer.finish() }
    #expect(await eventually { !notices.values.isEmpty })
    writer.cancel()
    #expect(await eventually { writer.statistics.dropped == 10 })
    holder.end()
    let error = try #require(await end.value.failure)
    #expect(error.reason == .locked)
  }

  /// Live, the end does not wait: whoever stops a daemon wants it to stop.
  @Test func theEndOfALiveJournalWaitsForNoLock() async throws {
    let writer = try writer(.live)
    let holder = try Transaction(path, writes: true)
    writer.append(.location(location(1)))
    let error = try #require(await writer.finish().failure)
    #expect(error.reason == .locked)
    holder.end()
  }

  @Test("a trial leaves the log of a killed writer as it was")
  func trialWithLog() async throws {
    let writer = try writer()
    for number in 1...3 { writer.append(.location(location(number))) }
    await writer.flush()
    let copy = folder.file("copy.db")
    try copyAsKilled(to: copy)
    await writer.finish()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    let contents = ["", "-wal"].map { FileManager.default.contents(atPath: copy + $0) }
    #expect(try JournalWriter.trial(path: copy) != nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == names)
    #expect(["", "-wal"].map { FileManager.default.contents(atPath: copy + $0) } == contents)
    #expect(try JournalReader(path: copy).newestSequence() == 3)
  }

  @Test("a trial fails while another program has a transaction open")
  func trialWithTransaction() async throws {
    try await write(1...3)
    let holder = try Transaction(path, writes: true)
    expectFailure(.locked, "is locked by") { _ = try JournalWriter.trial(path: path) }
    holder.end()
    #expect(try JournalWriter.trial(path: path) != nil)
  }

  @Test func whatIsMissingIsMadeAgain() async throws {
    try await write(1...3)
    try execute("DROP VIEW trail; DROP TABLE fences", in: path)
    try await write(4...4)
    #expect(notices.values.map(\.message) == ["journal \(path) lacked fences, trail, which is created again"])
    try execute("CREATE TEMP TABLE seen AS SELECT * FROM trail, fences", in: path)
    try await write(5...5)
    #expect(notices.values.count == 1)
    #expect(try JournalReader(path: path).entries(after: 0, limit: 9).count == 5)
  }

  /// A journal that an older program has made can be read as it is, and goes on with the new columns.
  @Test func columnsThatAnOlderProgramDidNotKnowAreAdded() async throws {
    try await write(1...2)
    try execute("ALTER TABLE locations DROP COLUMN dgpsAge; ALTER TABLE locations DROP COLUMN status", in: path)
    var older = [location(1), location(2)]
    for index in older.indices {
      older[index].quality?.dgpsAge = nil
      older[index].quality?.status = nil
    }
    #expect(try locations() == older)
    try await write(3...3)
    #expect(try locations() == older + [location(3)])
    #expect(notices.values.isEmpty)
  }

  private func locations() throws -> [Location] {
    try JournalReader(path: path).entries(after: 0, limit: 9).map {
      guard case .location(let location) = $0.record else { throw CocoaError(.fileReadCorruptFile) }
      return location
    }
  }

  @Test func aTableOfAnotherShapeIsNamed() async throws {
    try await write(1...3)
    try execute("DROP TABLE events; CREATE TABLE events (sequence INTEGER PRIMARY KEY)", in: path)
    expectFailure(.damaged, "events") { _ = try writer() }
    expectFailure(.damaged) { _ = try JournalReader(path: path) }
  }

  @Test(arguments: [Int64.max, 1 << 62]) func aRowWithTheLargestNumberIsNamed(number: Int64) async throws {
    try await write(1...3)
    try execute("UPDATE locations SET sequence = \(number) WHERE sequence = 3", in: path)
    let before = try #require(FileManager.default.contents(atPath: path))
    for open in [
      { _ = try self.writer() }, { _ = try DeviceJournalFile(path: self.path, limit: 1 << 22) },
      { _ = try JournalReader(path: self.path, name: "mqtt") },
    ] {
      expectFailure(.damaged, "the number \(number), behind which") { try open() }
    }
    #expect(FileManager.default.contents(atPath: path) == before)
    // It can be read.
    let reader = try JournalReader(path: path)
    #expect(try reader.entries(after: 0, limit: 9).map(\.sequence) == [1, 2, number])
    #expect(try reader.waiting().count == number)
    var count = 0
    try reader.forEachLocation { _ in
      count += 1
      return true
    }
    #expect(count == 3)
  }

  @Test func rowsWithNegativeNumbersArePassedOver() async throws {
    try await write(1...3)
    try execute("UPDATE locations SET sequence = \(Int64.min) WHERE sequence = 1", in: path)
    let reader = try JournalReader(path: path)
    #expect(try reader.waiting() == JournalWaiting(count: 3, oldest: location(2).timestamp))
    try await write(4...4)
    #expect(try reader.entries(after: 0, limit: 9).map(\.sequence) == [2, 3, 4])
  }

  @Test func anEmptyPathAndAMissingFolderAreNamed() {
    #expect { _ = try JournalWriter(path: "", limit: 1 << 20, mode: .live) } throws: {
      "\($0)" == "journal '' has no name; name a file"
    }
    #expect { _ = try JournalReader(path: "") } throws: { "\($0)" == "journal '' has no name; name a file" }
    expectFailure(.cannotOpen, "folder does not exist") {
      _ = try JournalWriter(path: folder.path + "/no/journal.db", limit: 1 << 20, mode: .live)
    }
  }

  @Test(.mounts, arguments: ["journal.db", "100%?#.db"])
  func isReadOnReadOnlyMedia(name: String) async throws {
    let disk = try SmallDisk("4m")
    let path = disk.path + "/" + name
    let first = try JournalWriter(path: path, limit: 1 << 20, mode: .live)
    for number in 1...5 { first.append(.location(location(number))) }
    await first.flush()
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: disk.path + "/killed.db" + suffix)
    }
    await first.finish()
    #expect(mount("tmpfs", disk.path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0)
    #expect(try JournalReader(path: path).entries(after: 0, limit: 9).count == 5)
    #expect { _ = try JournalReader(path: path, name: "mqtt") } throws: { "\($0)".contains("read-only") }
    #expect { _ = try JournalWriter(path: path, limit: 1 << 20, mode: .live) } throws: {
      ($0 as? JournalError)?.reason == .readOnly && "\($0)".contains("its file system is read-only")
    }
    #expect { _ = try JournalWriter(path: disk.path + "/new.db", limit: 1 << 20, mode: .live) } throws: {
      "\($0)".contains("its file system is read-only")
    }
    // Rows that are in the log only are not passed over.
    #expect { _ = try JournalReader(path: disk.path + "/killed.db") } throws: { "\($0)".contains("killed.db-wal") }
  }

  @Test func onlyRowsAreNews() async throws {
    let news = Recorder<Int64>()
    let writer = try writer()
    writer.onCommit(news.record)
    writer.keepFences([])
    await writer.flush()
    #expect(news.values == [])
    writer.append(.location(location(1)))
    await writer.flush()
    #expect(news.values == [1])
    await writer.finish()
  }

  @Test func timesOfAllAgesAreKept() async throws {
    let seconds = [-1.75, -0.5, 0, 0.999_999, -7e9, 7.9e9, 8.9e9, 1e12, -1e12].map { Date(timeIntervalSince1970: $0) }
    let writer = try writer()
    for time in seconds {
      var fix = everything
      fix.timestamp = time
      writer.append(.location(fix))
    }
    await writer.finish()
    let kept = try JournalReader(path: path).entries(after: 0, limit: 99).map(\.record.time)
    // 64 bits of nanoseconds hold the years 1678 to 2261.
    #expect(kept == seconds.prefix(7).map { $0 } + [nil, nil])
    // That is said at the first of them, and at the end.
    #expect(writer.statistics.untimed == 2 && writer.statistics.dropped == 0)
    let words = "2 records have no time, or one outside the years from 1678 to 2261, and are kept without it"
    #expect(notices.values.last?.message == "journal \(path): \(words)")
  }

  @Test func statesOfFencesAreNotDroppedWithRecords() async throws {
    let writer = try writer(.live)
    let holder = try Transaction(path, writes: true)
    // What comes from now on waits.
    writer.append(.location(location(0)))
    #expect(await eventually { writer.statistics.isFailing })
    writer.remember(FenceState(region: home, state: .inside, time: location(1).timestamp))
    writer.remember(FenceState(region: work, state: .inside, time: location(1).timestamp))
    writer.keepFences([home])
    writer.confirmFences(at: everything.timestamp!)
    for number in 1...6000 { writer.append(.location(location(number))) }
    #expect(writer.statistics.dropped > 0)
    holder.end()
    #expect(await eventually { writer.statistics.rows > 0 && !writer.statistics.isFailing })
    #expect(await writer.finish() == .finished)
    #expect(writer.statistics.rows + writer.statistics.dropped == 6001)
    let again = try self.writer()
    #expect(again.fences == [FenceState(region: home, state: .inside, time: everything.timestamp)])
    await again.finish()
  }

  /// The publisher moves its cursor while fixes come, and one of both has to wait for the other.
  @Test func aReaderWaitsForTheWriter() async throws {
    let writer = try writer()
    let reader = try JournalReader(path: path, name: "mqtt", startingAt: .oldest)
    let isOver = Mutex(false)
    let appending = Task.detached {
      var number = 0
      while !isOver.withLock({ $0 }) {
        number += 1
        writer.append(.location(location(number)))
        await writer.flush()
      }
      return number
    }
    defer { isOver.withLock { $0 = true } }
    #expect(await eventually { writer.statistics.rows > 0 })
    for sequence in 1...2000 { try reader.advance(to: Int64(sequence)) }
    isOver.withLock { $0 = true }
    let count = await appending.value
    #expect(await writer.finish() == .finished)
    #expect(reader.cursor == 2000 && writer.statistics.rows == count)
  }

  /// Not even for a moment: the rows of the next transactions have room before the oldest go.
  @Test func theFileIsNeverLargerThanItsLimit() async throws {
    let limit = 1 << 18
    let writer = try JournalWriter(path: path, limit: limit, mode: .live)
    var largest: Int64 = 0
    for number in 1...4000 {
      writer.append(.location(location(number)))
      guard number % 10 == 0 else { continue }
      await writer.flush()
      var status = stat()
      #expect(stat(writer.path, &status) == 0)
      largest = max(largest, Int64(status.st_size))
    }
    await writer.finish()
    #expect(largest > limit / 2 && largest <= limit, "\(largest) of \(limit)")
  }

  /// A descriptor that is closed twice may be somebody else's by the second time.
  @Test func aLockThatIsHeldTouchesNobodyElsesFile() async throws {
    let writer = try writer()
    let isOver = Mutex(false)
    let hasEnded = Mutex(false)
    let lost = Mutex(0)
    DispatchQueue(label: "files").async {
      // Each of these is its own until it closes it.
      while !isOver.withLock({ $0 }) {
        if close(open("/dev/null", O_RDONLY | O_CLOEXEC)) != 0 { lost.withLock { $0 += 1 } }
      }
      hasEnded.withLock { $0 = true }
    }
    for _ in 0..<1000 { #expect(throws: JournalError.self) { try JournalLock(path: path) } }
    isOver.withLock { $0 = true }
    #expect(await eventually { hasEnded.withLock { $0 } })
    #expect(lost.withLock { $0 } == 0)
    await writer.finish()
  }
}
