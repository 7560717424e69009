import CSQLite
import Foundation
import LocationKit
import Writing
import Synchronization
import TestSupport
import Testing

@testable import Journal

@Suite(.inTurn) struct JournalTests: JournalSuite {
  let notices = Recorder<OutputNotice>()
  let folder = TemporaryFolder()

  @Test func keepsWhatItWasGivenAcrossARestart() async throws {
    let nothing = Location(latitude: -90, longitude: 180)
    let crossing = RegionCrossing(
      .circle(home), .outside,
      at: Location(coordinate: everything.coordinate, horizontalAccuracy: 3, timestamp: everything.timestamp))
    let records: [JournalRecord] = [
      .location(everything), .crossing(crossing), .location(nothing),
      .error(LocationError(.locationUnknown, "nothing since 10 s"), everything.timestamp),
      .error(LocationError(.network, ""), nil),
    ]
    let first = try writer()
    for record in records.prefix(3) { first.append(record) }
    #expect(await first.finish() == .finished)
    let second = try writer(.replay)
    #expect(second.fences.map(\.state) == [.outside] && second.fences.map(\.region) == [home])
    for record in records.dropFirst(3) { second.append(record) }
    #expect(await second.finish() == .finished)
    #expect(second.statistics.rows == 2 && second.statistics.newest == 5)

    let reader = try JournalReader(path: path, name: "test", startingAt: .oldest)
    let entries = try reader.entries(after: 0, limit: 10)
    #expect(entries == records.enumerated().map { JournalEntry(sequence: Int64($0 + 1), record: $1) })
    #expect(try reader.entries(after: 1, limit: 2).map(\.sequence) == [2, 3])
  }

  @Test func aReaderComesBackWhereItWas() async throws {
    let writer = try writer()
    let newest = Mutex<Int64>(0)
    writer.onCommit { sequence in newest.withLock { $0 = sequence } }
    for number in 1...5 { writer.append(.location(location(number))) }
    #expect(await eventually { newest.withLock { $0 } == 5 })
    do {
      let reader = try JournalReader(path: path, name: "a", startingAt: .oldest)
      #expect(try reader.waiting() == JournalWaiting(count: 5, oldest: location(1).timestamp))
      try reader.advance(to: 3)
      try reader.advance(to: 2)
      #expect(reader.cursor == 3)
    }
    let reader = try JournalReader(path: path, name: "a", startingAt: .oldest)
    #expect(reader.cursor == 3)
    #expect(try reader.waiting() == JournalWaiting(count: 2, oldest: location(4).timestamp))
    try reader.advance(to: 5)
    #expect(try reader.waiting() == JournalWaiting(count: 0))
    // Another one begins behind what is there.
    #expect(try JournalReader(path: path, name: "b").cursor == 5)
    await writer.finish()
  }

  @Test(.mounts) func goesOnWhenADiskThatWasFullHasRoomAgain() async throws {
    let disk = try SmallDisk("512k")
    let writer = try JournalWriter(
      path: disk.path + "/journal.db", limit: 1 << 20, mode: .live, onNotice: notices.record)
    writer.append(.location(location(1)))
    #expect(await eventually { writer.statistics.rows == 1 })
    let filler = try disk.fill()
    for number in 2...600 { writer.append(.location(location(number))) }
    #expect(await eventually { writer.statistics.isFailing })
    for number in 601...1000 { writer.append(.location(location(number))) }
    #expect(writer.statistics.failures == 1)
    #expect(notices.values.map(\.severity) == [.error])
    #expect(notices.values.first?.message.contains("no space is left") == true)
    unlink(filler)
    #expect(await eventually { writer.statistics.rows == 1000 })
    #expect(await eventually { notices.values.map(\.severity) == [.error, .notice] })
    await writer.finish()
    let reader = try JournalReader(path: disk.path + "/journal.db")
    let times = try reader.entries(after: 0, limit: 2000).map(\.record.time)
    #expect(times == (1...1000).map { location($0).timestamp })
  }

  @Test(.mounts) func aReplayEndsWithItsDisk() async throws {
    let disk = try SmallDisk("256k")
    let ends = Recorder<JournalWriter.End>()
    let writer = try JournalWriter(path: disk.path + "/journal.db", limit: 1 << 20, mode: .replay, onEnd: ends.record)
    // Far more than there is room for: nobody waits for ever.
    for number in 1...20_000 { writer.append(.location(location(number))) }
    let error = try #require(await writer.finish().failure)
    #expect(error.reason == .inputOutput)
    #expect(await eventually { ends.values == [.failed(error)] })
    #expect(writer.statistics.rows + writer.statistics.dropped == 20_000)
    let reader = try JournalReader(path: disk.path + "/journal.db")
    #expect(try reader.entries(after: 0, limit: 30_000).count == writer.statistics.rows)
  }

  @Test func saysThatSomebodyHasTakenItAway() async throws {
    let writer = try writer()
    writer.append(.location(location(1)))
    await writer.flush()
    try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
    writer.append(.location(location(2)))
    #expect(await eventually { notices.values.first?.message.contains("was removed or replaced") == true })
    try FileManager.default.moveItem(atPath: path + ".old", toPath: path)
    #expect(await eventually { writer.statistics.rows == 2 })
    #expect(await writer.finish() == .finished)
  }

  @Test func anyoneMayReadWithoutBeingRemembered() async throws {
    let writer = try writer()
    for number in 1...3 { writer.append(.location(location(number))) }
    #expect(await eventually { writer.statistics.rows == 3 })
    let reader = try JournalReader(path: path)
    #expect(try reader.entries(after: 1, limit: 9).map(\.sequence) == [2, 3])
    try reader.advance(to: 2)
    #expect(try reader.waiting().count == 1)
    #expect(try JournalReader(path: path).cursor == 0)
    await writer.finish()
    expectFailure(.cannotOpen) { _ = try JournalReader(path: folder.file("nothing.db")) }
    try execute("CREATE TABLE a (b)", in: folder.file("other.db"))
    expectFailure(.foreign) { _ = try JournalReader(path: folder.file("other.db"), name: "x") }
  }

  @Test func theOldestRowsGoAndWhatAReaderMissedIsCounted() async throws {
    let limit = 1 << 20
    let writer = try writer(.replay, limit: limit)
    let reader = try JournalReader(path: path, name: "slow", startingAt: .oldest)
    let count = 60_000
    for number in 1...count { writer.append(.location(location(number))) }
    #expect(await writer.finish() == .finished)
    #expect(try (limit / 2 + 1...limit).contains(size()))
    let left = try reader.entries(after: 0, limit: count)
    #expect(left.count > 4000 && left.last?.sequence == Int64(count))
    #expect(writer.statistics.unread == count - left.count)
    #expect(try reader.waiting().count == left.count)
    #expect(notices.values.count == 1)
    // A lower limit gives the pages back.
    let smaller = try self.writer(.replay, limit: limit / 2)
    smaller.append(.location(location(1)))
    await smaller.finish()
    #expect(try size() <= limit / 2)
    #expect(try reader.newestSequence() == Int64(count + 1))
  }

  @Test func whatIsNowhereIsNotKept() async throws {
    let writer = try writer()
    for latitude in [90.1, .nan, .infinity] { writer.append(.location(Location(latitude: latitude, longitude: 0))) }
    writer.append(.location(location(1)))
    #expect(await writer.finish() == .finished)
    #expect(writer.statistics.rows == 1 && writer.statistics.dropped == 0)
    let reader = try JournalReader(path: path)
    #expect(try reader.entries(after: 0, limit: 9) == [JournalEntry(sequence: 1, record: .location(location(1)))])
  }

  @Test func numbersAreNeverUsedAgain() async throws {
    try await write(1...3)
    try JournalReader(path: path, name: "a", startingAt: .oldest).advance(to: 3)
    try execute("DELETE FROM locations", in: path)
    try await write(4...4)
    let reader = try JournalReader(path: path, name: "a")
    #expect(try reader.entries(after: reader.cursor, limit: 9).map(\.sequence) == [4])
  }

  @Test func onlyItsOwnerMayReadIt() async throws {
    let writer = try writer()
    writer.append(.location(everything))
    #expect(await eventually { writer.statistics.rows == 1 })
    for suffix in ["", "-wal", "-shm"] {
      let mode = try FileManager.default.attributesOfItem(atPath: path + suffix)[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(suffix)")
    }
    await writer.finish()
  }

  @Test func leavesAloneWhatIsNotItsOwn() async throws {
    func expectRefusal(_ reason: JournalError.Reason, _ prepare: (String) throws -> Void) throws {
      let path = folder.file("\(UUID()).db")
      try prepare(path)
      let before = FileManager.default.contents(atPath: path)
      expectFailure(reason, path) { _ = try JournalWriter(path: path, limit: 1 << 20, mode: .live) }
      #expect(FileManager.default.contents(atPath: path) == before)
    }
    for text in ["latitude,longitude\n37,-122\n", "x"] {
      try expectRefusal(.notADatabase) { try Data(text.utf8).write(to: URL(filePath: $0)) }
    }
    for (sql, reason) in [
      ("CREATE TABLE a (b)", .foreign), ("PRAGMA application_id = 7", .foreign),
      ("CREATE TABLE a (b); PRAGMA application_id = 0x52784C6A; PRAGMA user_version = 2", .newerVersion),
    ] as [(String, JournalError.Reason)] {
      try expectRefusal(reason) { try execute(sql, in: $0) }
    }
    try expectRefusal(.cannotOpen) {
      try FileManager.default.createDirectory(atPath: $0, withIntermediateDirectories: true)
    }
  }

  @Test func noticesThatTheEndOfTheFileIsMissing() async throws {
    try await write(1...5000)
    truncate(path, 100_000)
    let before = FileManager.default.contents(atPath: path)
    expectFailure(.damaged) { _ = try writer() }
    #expect(FileManager.default.contents(atPath: path) == before)
  }

  @Test func theArticleHasEveryColumn() async throws {
    await (try writer()).finish()
    var handle: OpaquePointer?
    var statement: OpaquePointer?
    defer {
      sqlite3_finalize(statement)
      sqlite3_close(handle)
    }
    sqlite3_open(path, &handle)
    sqlite3_prepare_v2(
      handle, "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type <> 'index'", -1,
      &statement, nil)
    let article = try String(
      contentsOf: Checkout.file("Sources/Sending/Journal/Journal.docc/Tables.md"), encoding: .utf8)
    var count = 0
    while sqlite3_step(statement) == SQLITE_ROW {
      let (table, column) = (
        String(cString: sqlite3_column_text(statement, 0)), String(cString: sqlite3_column_text(statement, 1))
      )
      let section = article.components(separatedBy: "### ").first { $0.hasPrefix(table + "\n") }
      #expect(section?.contains("`\(column)`") == true, "\(table) has \(column)")
      count += 1
    }
    #expect(count == 65)
  }
}
