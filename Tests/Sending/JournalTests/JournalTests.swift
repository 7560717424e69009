import CSQLite
import Foundation
import Journal
import LocationKit
import Writing
import Synchronization
import TestSupport
import Testing

let everything = Location(
  coordinate: LocationCoordinate2D(latitude: 37.785834, longitude: -122.406417), altitude: 10.1,
  ellipsoidalAltitude: -22.4, horizontalAccuracy: 5, verticalAccuracy: 9, course: 10.3, courseAccuracy: 4.1, speed: 1.2,
  speedAccuracy: 0.4, climb: -0.1, timestamp: Date(timeIntervalSince1970: 1_708_760_163.125), mode: .threeDimensional,
  satellitesUsed: 9, satellitesSeen: 12,
  quality: GNSSQuality(
    status: .rtkFloat, hdop: 0.9, vdop: 1.5, pdop: 1.7, tdop: 0.8, gdop: 1.9, geoidSeparation: -32.5, dgpsAge: 1.5,
    dgpsStation: 4095),
  sourceInformation: LocationSourceInformation(device: "/dev/ttyUSB0", isSimulatedBySoftware: true, isHeld: true),
  doubts: [.speed, .date])

let home = CircularRegion(
  center: LocationCoordinate2D(latitude: 37.7858, longitude: -122.4064), radius: 50, identifier: "home")

func location(_ number: Int) -> Location {
  var location = everything
  location.timestamp = Date(timeIntervalSince1970: 1_700_000_000 + Double(number) / 10)
  location.coordinate.latitude = Double(number % 90)
  return location
}

@Suite struct JournalTests {
  private let notices = Recorder<OutputNotice>()

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

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
    let first = try JournalWriter(path: folder.file("journal.db"), limit: 1 << 20, mode: .live)
    for record in records.prefix(3) { first.append(record) }
    #expect(await first.finish() == .finished)
    let second = try JournalWriter(path: folder.file("journal.db"), limit: 1 << 20, mode: .replay)
    #expect(second.fences.map(\.state) == [.outside] && second.fences.map(\.region) == [home])
    for record in records.dropFirst(3) { second.append(record) }
    #expect(await second.finish() == .finished)
    #expect(second.statistics.rows == 2 && second.statistics.newest == 5)

    let reader = try JournalReader(path: folder.file("journal.db"), name: "test", startingAt: .oldest)
    let entries = try reader.entries(after: 0, limit: 10)
    #expect(entries == records.enumerated().map { JournalEntry(sequence: Int64($0 + 1), record: $1) })
    #expect(try reader.entries(after: 1, limit: 2).map(\.sequence) == [2, 3])
  }

  @Test func aReaderComesBackWhereItWas() async throws {
    let writer = try JournalWriter(path: folder.file("journal.db"), limit: 1 << 20, mode: .live)
    let newest = Mutex<Int64>(0)
    writer.onCommit { sequence in newest.withLock { $0 = sequence } }
    for number in 1...5 { writer.append(.location(location(number))) }
    #expect(await eventually { newest.withLock { $0 } == 5 })
    do {
      let reader = try JournalReader(path: folder.file("journal.db"), name: "a", startingAt: .oldest)
      #expect(try reader.waiting() == JournalWaiting(count: 5, oldest: location(1).timestamp))
      try reader.advance(to: 3)
      try reader.advance(to: 2)
      #expect(reader.cursor == 3)
    }
    let reader = try JournalReader(path: folder.file("journal.db"), name: "a", startingAt: .oldest)
    #expect(reader.cursor == 3)
    #expect(try reader.waiting() == JournalWaiting(count: 2, oldest: location(4).timestamp))
    try reader.advance(to: 5)
    #expect(try reader.waiting() == JournalWaiting(count: 0))
    // Another one begins behind what is there.
    #expect(try JournalReader(path: folder.file("journal.db"), name: "b").cursor == 5)
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
    let writer = try JournalWriter(
      path: disk.path + "/journal.db", limit: 1 << 20, mode: .replay,
      onEnd: ends.record)
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
    let path = folder.file("journal.db")
    let writer = try JournalWriter(path: path, limit: 1 << 20, mode: .live, onNotice: notices.record)
    writer.append(.location(location(1)))
    await writer.flush()
    try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
    writer.append(.location(location(2)))
    #expect(await eventually { notices.values.first?.message.contains("was removed or replaced") == true })
    try FileManager.default.moveItem(atPath: path + ".old", toPath: path)
    #expect(await eventually { writer.statistics.rows == 2 })
    #expect(await writer.finish() == .finished)
  }

  @Test(arguments: [OutboxMode.live, .replay]) func whatIsFlushedIsCommitted(mode: OutboxMode)
    async throws
  {
    let writer = try JournalWriter(path: folder.file("journal.db"), limit: 1 << 20, mode: mode)
    await writer.flush()
    for turn in 1...20 {
      writer.append(.location(location(turn)))
      await writer.flush()
      #expect(writer.statistics.rows == turn)
    }
    await writer.finish()
    await writer.flush()
  }

  @Test func anyoneMayReadWithoutBeingRemembered() async throws {
    let writer = try JournalWriter(path: folder.file("journal.db"), limit: 1 << 20, mode: .live)
    for number in 1...3 { writer.append(.location(location(number))) }
    #expect(await eventually { writer.statistics.rows == 3 })
    let reader = try JournalReader(path: folder.file("journal.db"))
    #expect(try reader.entries(after: 1, limit: 9).map(\.sequence) == [2, 3])
    try reader.advance(to: 2)
    #expect(try reader.waiting().count == 1)
    #expect(try JournalReader(path: folder.file("journal.db")).cursor == 0)
    await writer.finish()
    #expect { _ = try JournalReader(path: folder.file("nothing.db")) } throws: {
      ($0 as? JournalError)?.reason == .cannotOpen
    }
    try execute("CREATE TABLE a (b)", in: folder.file("other.db"))
    #expect { _ = try JournalReader(path: folder.file("other.db"), name: "x") } throws: {
      ($0 as? JournalError)?.reason == .foreign
    }
  }

  @Test func theOldestRowsGoAndWhatAReaderMissedIsCounted() async throws {
    let limit = 1 << 20
    let writer = try JournalWriter(
      path: folder.file("journal.db"), limit: limit, mode: .replay, onNotice: notices.record)
    let reader = try JournalReader(path: folder.file("journal.db"), name: "slow", startingAt: .oldest)
    let count = 60_000
    for number in 1...count { writer.append(.location(location(number))) }
    #expect(await writer.finish() == .finished)
    let size = try FileManager.default.attributesOfItem(atPath: folder.file("journal.db"))[.size] as? Int ?? 0
    #expect(size <= limit && size > limit / 2)
    let left = try reader.entries(after: 0, limit: count)
    #expect(left.count > 4000 && left.last?.sequence == Int64(count))
    #expect(writer.statistics.unread == count - left.count)
    #expect(try reader.waiting().count == left.count)
    #expect(notices.values.count == 1)
    // A lower limit gives the pages back.
    let smaller = try JournalWriter(path: folder.file("journal.db"), limit: limit / 2, mode: .replay)
    smaller.append(.location(location(1)))
    await smaller.finish()
    let less = try FileManager.default.attributesOfItem(atPath: folder.file("journal.db"))[.size] as? Int ?? 0
    #expect(less <= limit / 2)
    #expect(try reader.newestSequence() == Int64(count + 1))
  }

  @Test func whatIsNowhereIsNotKept() async throws {
    let writer = try JournalWriter(path: folder.file("journal.db"), limit: 1 << 20, mode: .live)
    for latitude in [90.1, .nan, .infinity] { writer.append(.location(Location(latitude: latitude, longitude: 0))) }
    writer.append(.location(location(1)))
    #expect(await writer.finish() == .finished)
    #expect(writer.statistics.rows == 1 && writer.statistics.dropped == 0)
    let reader = try JournalReader(path: folder.file("journal.db"))
    #expect(try reader.entries(after: 0, limit: 9) == [JournalEntry(sequence: 1, record: .location(location(1)))])
  }

  @Test func numbersAreNeverUsedAgain() async throws {
    let path = folder.file("journal.db")
    let first = try JournalWriter(path: path, limit: 1 << 20, mode: .live)
    for number in 1...3 { first.append(.location(location(number))) }
    await first.finish()
    try JournalReader(path: path, name: "a", startingAt: .oldest).advance(to: 3)
    try execute("DELETE FROM locations", in: path)
    let second = try JournalWriter(path: path, limit: 1 << 20, mode: .live)
    second.append(.location(location(4)))
    await second.finish()
    let reader = try JournalReader(path: path, name: "a")
    #expect(try reader.entries(after: reader.cursor, limit: 9).map(\.sequence) == [4])
  }

  @Test func onlyItsOwnerMayReadIt() async throws {
    let writer = try JournalWriter(path: folder.file("journal.db"), limit: 1 << 20, mode: .live)
    writer.append(.location(everything))
    #expect(await eventually { writer.statistics.rows == 1 })
    for suffix in ["", "-wal", "-shm"] {
      let mode =
        try FileManager.default.attributesOfItem(atPath: folder.file("journal.db") + suffix)[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(suffix)")
    }
    await writer.finish()
  }

  @Test func leavesAloneWhatIsNotItsOwn() async throws {
    func refusal(_ prepare: (String) throws -> Void) throws -> JournalError.Reason? {
      let folder = try TemporaryFolder()
      try prepare(folder.file("journal.db"))
      let before = FileManager.default.contents(atPath: folder.file("journal.db"))
      defer { #expect(FileManager.default.contents(atPath: folder.file("journal.db")) == before) }
      do {
        _ = try JournalWriter(path: folder.file("journal.db"), limit: 1 << 20, mode: .live)
        return nil
      } catch {
        #expect(error.message.contains(folder.file("journal.db")))
        return error.reason
      }
    }
    #expect(
      try refusal { try Data("latitude,longitude\n37,-122\n".utf8).write(to: URL(filePath: $0)) } == .notADatabase)
    #expect(try refusal { try Data("x".utf8).write(to: URL(filePath: $0)) } == .notADatabase)
    #expect(try refusal { try execute("CREATE TABLE a (b)", in: $0) } == .foreign)
    #expect(try refusal { try execute("PRAGMA application_id = 7", in: $0) } == .foreign)
    #expect(
      try refusal {
        try execute("CREATE TABLE a (b); PRAGMA application_id = 0x52784C6A; PRAGMA user_version = 2", in: $0)
      } == .newerVersion)
    #expect(
      try refusal { try FileManager.default.createDirectory(atPath: $0, withIntermediateDirectories: true) }
        == .cannotOpen)
  }

  @Test func noticesThatTheEndOfTheFileIsMissing() async throws {
    let writer = try JournalWriter(path: folder.file("journal.db"), limit: 1 << 24, mode: .replay)
    for number in 1...5000 { writer.append(.location(location(number))) }
    await writer.finish()
    truncate(folder.file("journal.db"), 100_000)
    let before = FileManager.default.contents(atPath: folder.file("journal.db"))
    #expect { _ = try JournalWriter(path: folder.file("journal.db"), limit: 1 << 24, mode: .live) } throws: {
      ($0 as? JournalError)?.reason == .damaged
    }
    #expect(FileManager.default.contents(atPath: folder.file("journal.db")) == before)
  }

  @Test func hasOneWriter() async throws {
    let writer = try JournalWriter(path: folder.file("journal.db"), limit: 1 << 20, mode: .live)
    #expect { _ = try JournalWriter(path: folder.file("journal.db"), limit: 1 << 20, mode: .live) } throws: {
      ($0 as? JournalError)?.reason == .locked
    }
    await writer.finish()
    let next = try JournalWriter(path: folder.file("journal.db"), limit: 1 << 20, mode: .live)
    await next.finish()
  }

  @Test func namesAFolderThatIsMissing() {
    #expect { _ = try JournalWriter(path: folder.path + "/no/journal.db", limit: 1 << 20, mode: .live) } throws: {
      ($0 as? JournalError)?.message.contains("folder does not exist") == true
    }
  }

  @Test func theArticleHasEveryColumn() async throws {
    let writer = try JournalWriter(path: folder.file("journal.db"), limit: 1 << 20, mode: .live)
    await writer.finish()
    var handle: OpaquePointer?
    var statement: OpaquePointer?
    defer {
      sqlite3_finalize(statement)
      sqlite3_close(handle)
    }
    sqlite3_open(folder.file("journal.db"), &handle)
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

/// Runs statements on a database of its own.
func execute(_ sql: String, in path: String) throws {
  var handle: OpaquePointer?
  defer { sqlite3_close(handle) }
  guard sqlite3_open(path, &handle) == SQLITE_OK, sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
    throw CocoaError(.fileWriteUnknown)
  }
}
