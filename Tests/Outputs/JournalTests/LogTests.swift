import CSQLite
import Foundation
@testable import Journal
import LocationKit
import Synchronization
import TestSupport
import Output
import Testing

/// What becomes of a journal whose write-ahead log somebody removes or cuts off.
@Suite final class LogTests: Sendable {
  /// What is done to `PATH-wal`.
  enum Damage: CaseIterable {
    case removed, replaced, emptied, halved

    func apply(to path: String) throws {
      let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
      switch self {
      case .removed: try FileManager.default.removeItem(atPath: path)
      case .replaced: try Data(count: size).write(to: URL(filePath: path), options: .atomic)
      case .emptied: #expect(truncate(path, 0) == 0)
      case .halved: #expect(truncate(path, size / 2) == 0)
      }
    }
  }

  let folder: TestSupport.TemporaryFolder
  let notices = Mutex<[OutputNotice]>([])
  private var path: String { folder.file("journal.db") }

  init() throws { folder = try TestSupport.TemporaryFolder() }

  private func writer(_ mode: OutboxMode = .live) throws -> JournalWriter {
    try JournalWriter(path: path, limit: 1 << 23, mode: mode) { [self] notice in
      notices.withLock { $0.append(notice) }
    }
  }

  private func numbers(_ path: String) throws -> [Date?] {
    try JournalReader(path: path).entries(after: 0, limit: .max).map(\.record.time)
  }

  /// The database alone, as a process that is killed and its lost log leave it.
  private func copy() throws -> String {
    let copy = folder.file("copy.db")
    try? FileManager.default.removeItem(atPath: copy)
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    return copy
  }

  @Test(arguments: Damage.allCases, [OutboxMode.live, .replay])
  func isWrittenAgain(damage: Damage, mode: OutboxMode) async throws {
    let writer = try writer(mode)
    let reader = try JournalReader(path: path, name: "mqtt", startingAt: .oldest)
    let other = try JournalReader(path: path, name: "new", startingAt: .newest)
    for number in 1...200 {
      writer.append(.location(location(number)))
      if number % 10 == 0 { await writer.flush() }
    }
    writer.remember(FenceState(region: home, state: .inside, time: location(200).timestamp))
    await writer.flush()
    try reader.advance(to: 150)
    try damage.apply(to: path + "-wal")
    writer.append(.location(location(201)))
    await writer.flush()
    // The reader is where it was, and sees what came before and after.
    #expect(try reader.waiting().count == 51 && reader.cursor == 150)
    #expect(try other.waiting().count == 201)
    #expect(try reader.entries(after: 150, limit: 99).map(\.sequence) == Array(151...201))
    try reader.advance(to: 160)
    writer.append(.location(location(202)))
    #expect(await writer.finish() == .finished)
    #expect(writer.statistics.rows == 202 && writer.statistics.dropped == 0)
    #expect(try numbers(path) == (1...202).map { location($0).timestamp })
    #expect(try integrity(of: path) == "ok")
    let again = try JournalReader(path: path, name: "mqtt")
    #expect(again.cursor == 160)
    #expect(try again.fenceStates(after: 202) == ["home": true])
    let messages = notices.withLock { $0.map(\.message) }
    #expect(messages.count == 1)
    #expect(messages.first?.contains(/journal.db had its .*journal.db-wal (removed|cut off) while it was open/) == true)
    #expect(messages.first?.contains("nothing was lost") == true)
  }

  /// Its name is in the database, and how far it has come in the log only, which goes.
  @Test(arguments: Damage.allCases) func aReaderIsWhereItWas(damage: Damage) async throws {
    let first = try writer()
    for number in 1...5 { first.append(.location(location(number))) }
    let reader = try JournalReader(path: path, name: "mqtt", startingAt: .oldest)
    #expect(await first.finish() == .finished)
    let second = try writer()
    second.append(.location(location(6)))
    await second.flush()
    try reader.advance(to: 3)
    try damage.apply(to: path + "-wal")
    second.append(.location(location(7)))
    await second.flush()
    #expect(try reader.waiting().count == 4 && reader.cursor == 3)
    await second.finish()
  }

  /// Nothing more comes: the end notices it.
  @Test(arguments: Damage.allCases) func isWrittenAgainAtTheEnd(damage: Damage) async throws {
    let writer = try writer()
    for number in 1...50 { writer.append(.location(location(number))) }
    await writer.flush()
    try damage.apply(to: path + "-wal")
    #expect(await writer.finish() == .finished)
    #expect(try numbers(path) == (1...50).map { location($0).timestamp })
    #expect(notices.withLock { $0.count } == 1)
  }

  /// More than the log is kept for: it is in the database already, and not written twice.
  @Test(arguments: Damage.allCases) func whatWasWrittenBackIsNotWrittenAgain(damage: Damage) async throws {
    let writer = try writer(.replay)
    for number in 1...30_000 { writer.append(.location(location(number))) }
    await writer.flush()
    try damage.apply(to: path + "-wal")
    for number in 30_001...30_010 { writer.append(.location(location(number))) }
    #expect(await writer.finish() == .finished)
    #expect(try numbers(path) == (1...30_010).map { location($0).timestamp })
    #expect(try integrity(of: path) == "ok")
  }

  /// A reader in the middle of a transaction keeps the log from being written back any further than it sees.
  @Test func whatIsHalfWrittenBackIsNotWrittenTwice() async throws {
    let writer = try JournalWriter(
      path: path, limit: 1 << 22, mode: .replay, interval: 0, onNotice: { _ in }, onEnd: { _ in })
    for number in 1...2000 { writer.append(.location(location(number))) }
    await writer.flush()
    let holder = try Transaction(path)
    for number in 2001...8000 {
      writer.append(.location(location(number)))
      if number % 10 == 0 { await writer.flush() }
    }
    try Damage.emptied.apply(to: path + "-wal")
    holder.end()
    writer.append(.location(location(8001)))
    // Pages that the reader kept from being written back are older than their neighbours. Whether that makes a whole tree
    // is chance: then every row is there once, and else the file is said to be damaged.
    switch await writer.finish() {
    case .finished:
      #expect(try numbers(path) == (1...8001).map { location($0).timestamp })
      #expect(writer.statistics.dropped == 0)
      #expect(try integrity(of: path) == "ok")
    case let end:
      guard case .failed(let error) = end, error.reason == .damaged else {
        Issue.record("\(end)")
        return
      }
    }
  }

  /// A reader in the middle of a transaction keeps the log from being written back: more than is remembered is lost then,
  /// and said to be.
  @Test func whatIsLostIsCounted() async throws {
    let writer = try writer(.replay)
    let holder = try Transaction(path)
    for number in 1...40_000 { writer.append(.location(location(number))) }
    await writer.flush()
    try Damage.emptied.apply(to: path + "-wal")
    holder.end()
    writer.append(.location(location(40_001)))
    #expect(await writer.finish() == .finished)
    let left = try numbers(path)
    #expect(left.count > 1000 && left.count < 40_001)
    #expect(left.last == location(40_001).timestamp)
    #expect(writer.statistics.rows == left.count && writer.statistics.dropped == 40_001 - left.count)
    #expect(notices.withLock { $0.first?.message.contains("\(40_001 - left.count) records are lost") } == true)
    #expect(try JournalReader(path: path).newestSequence() == 40_001)
    #expect(try integrity(of: path) == "ok")
  }

  /// A collector's journal says it, too.
  @Test func whatAJournalOfManyDevicesLosesIsCounted() throws {
    let journal = try DeviceJournalFile(path: path, limit: 1 << 24)
    let holder = try Transaction(path)
    func commit(_ numbers: ClosedRange<Int>) throws {
      try journal.commit(
        numbers.map { number in
          var fix = location(number)
          fix.sourceInformation = LocationSourceInformation(deviceIdentifier: "ann/car")
          return DeviceRecord(.location(fix), message: 1, received: Date())
        })
    }
    for start in stride(from: 0, to: 40_000, by: 1000) { try commit(start + 1...start + 1000) }
    #expect(journal.lost == 0 && journal.takeNotices().isEmpty)
    try Damage.emptied.apply(to: path + "-wal")
    holder.end()
    try commit(40_001...40_001)
    let left = try numbers(path).count
    #expect(left < 40_001 && journal.lost == 40_001 - left)
    let notices = journal.takeNotices()
    #expect(notices.count == 1 && notices[0].contains("\(journal.lost) records are lost"), "\(notices)")
    #expect(journal.takeNotices().isEmpty)
  }

  /// SQLite reports success as well where a reader keeps the newest pages in the log.
  @Test func aLogIsWrittenBackWhenNothingIsLeftInIt() async throws {
    let writer = try writer()
    writer.append(.location(location(1)))
    await writer.flush()
    let holder = try Transaction(path)
    writer.append(.location(location(2)))
    await writer.flush()
    let connection = try Connection(path: path)
    // A connection that has read nothing knows of no log.
    #expect(try connection.integer("SELECT count(*) FROM locations") == 2)
    #expect(try !connection.checkpoint(SQLITE_CHECKPOINT_PASSIVE))
    holder.end()
    #expect(try connection.checkpoint(SQLITE_CHECKPOINT_PASSIVE))
    await writer.finish()
  }

  /// A journal that was just made is one without its log.
  @Test func theTablesDoNotDependOnTheLog() async throws {
    let writer = try writer()
    #expect(try numbers(copy()) == [])
    await writer.finish()
  }

  /// What a run before left in the log is in the database as soon as the journal is open.
  @Test func whatWasLeftInTheLogIsWrittenBackAtTheStart() async throws {
    let first = try writer()
    for number in 1...20 { first.append(.location(location(number))) }
    await first.flush()
    // As SIGKILL leaves it.
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: folder.file("killed.db") + suffix)
    }
    await first.finish()
    let second = try JournalWriter(path: folder.file("killed.db"), limit: 1 << 22, mode: .live)
    let copy = folder.file("copy.db")
    try FileManager.default.copyItem(atPath: folder.file("killed.db"), toPath: copy)
    #expect(try numbers(copy).count == 20)
    await second.finish()
  }

  /// While somebody reads, the log stays, with everything in it; that is no failure.
  @Test func aReaderAtTheEndIsNoFailure() async throws {
    let writer = try writer()
    writer.append(.location(location(1)))
    await writer.flush()
    let holder = try Transaction(path)
    writer.append(.location(location(2)))
    #expect(await writer.finish() == .finished)
    holder.end()
    #expect(try numbers(path).count == 2)
  }

  @Test(.mounts) func anEndThatFailsIsSaid() async throws {
    let disk = folder.file("disk")
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
    try #require(mount("tmpfs", disk, "tmpfs", 0, "size=1m") == 0)
    defer { umount2(disk, Int32(MNT_DETACH)) }
    let path = disk + "/journal.db"
    // In a few commits: the log of many does not fit there.
    let writer = try JournalWriter(
      path: path, limit: 1 << 24, mode: .replay, interval: 1, onNotice: { _ in }, onEnd: { _ in })
    for number in 1...1500 { writer.append(.location(location(number))) }
    await writer.flush()
    // The database has to grow by what is in the log.
    let filler = try #require(FileHandle(forWritingAtPath: folder.file("disk/filler", makingIt: true)))
    while (try? filler.write(contentsOf: Data(count: 4096))) != nil {}
    guard case .failed(let error) = await writer.finish() else {
      Issue.record("it did not fail")
      return
    }
    #expect(error.message.contains("no space is left on its disk"))
    #expect(error.message.contains("journal.db-wal"))
    // The rows are safe where they are.
    try filler.close()
    unlink(disk + "/filler")
    #expect(try numbers(path).count == writer.statistics.rows)
  }

  @Test func aDatabaseThatIsGoneAtTheEndIsSaid() async throws {
    let writer = try writer()
    writer.append(.location(location(1)))
    await writer.flush()
    unlink(path)
    guard case .failed(let error) = await writer.finish() else {
      Issue.record("it did not fail")
      return
    }
    #expect(error.message.contains("was removed or replaced"))
  }
}

extension TestSupport.TemporaryFolder {
  fileprivate func file(_ name: String, makingIt: Bool) -> String {
    if makingIt { _ = FileManager.default.createFile(atPath: file(name), contents: nil) }
    return file(name)
  }
}

/// Somebody else's transaction.
final class Transaction {
  private var handle: OpaquePointer?

  /// Begins to read, or to write.
  init(_ path: String, writes: Bool = false) throws {
    let begin = writes ? "BEGIN IMMEDIATE" : "BEGIN; SELECT count(*) FROM locations"
    guard sqlite3_open(path, &handle) == SQLITE_OK, sqlite3_exec(handle, begin, nil, nil, nil) == SQLITE_OK else {
      throw CocoaError(.fileReadUnknown)
    }
  }

  /// Ends it, without leaving a trace.
  func end() {
    sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    sqlite3_close(handle)
    handle = nil
  }

  deinit { end() }
}

/// What `PRAGMA integrity_check` says.
func integrity(of path: String) throws -> String {
  try Connection(path: path).prepare("PRAGMA integrity_check").first { $0.text(0) } ?? ""
}
