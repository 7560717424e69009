import CSQLite
import Foundation
@testable import Journal
import LocationKit
import Platform
import TestSupport
import Writing
import Testing

/// What becomes of a journal whose write-ahead log somebody removes or cuts off.
@Suite(.inTurn) struct LogTests: JournalSuite {
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

  let folder = TestSupport.TemporaryFolder()
  let notices = Recorder<OutputNotice>()

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

  @Test(
    "a log that another program removes or cuts off ends the writing", arguments: Damage.allCases,
    [OutboxMode.live, .replay])
  func damagedLog(damage: Damage, mode: OutboxMode) async throws {
    let writer = try writer(mode)
    var reader: JournalReader? = try JournalReader(path: path, name: "mqtt", startingAt: .oldest)
    for number in 1...200 {
      writer.append(.location(location(number)))
      if number % 10 == 0 { await writer.flush() }
    }
    await writer.flush()
    try reader?.advance(to: 150)
    try damage.apply(to: path + "-wal")
    writer.append(.location(location(201)))
    let error = try #require(await writer.finish().failure)
    #expect(error.reason == .removed && error.message.contains("journal.db-wal removed or cut off"), "\(error)")
    #expect(writer.statistics.dropped == 1 && !writer.statistics.account.isSettled)
    reader = nil
    // A log that has lost only its name is written back. What is left of another one is a beginning of the rows.
    let left = try numbers(path)
    #expect(left == (1...200).prefix(left.count).map { location($0).timestamp })
    if [.removed, .replaced].contains(damage) { #expect(left.count == 200) }
    let second = try self.writer()
    second.append(.location(location(202)))
    #expect(await second.finish() == .finished)
    #expect(try numbers(path) == left + [location(202).timestamp])
    #expect(try integrity(of: path) == "ok")
  }

  @Test("the end notices a damaged log", arguments: Damage.allCases)
  func damageBeforeEnd(damage: Damage) async throws {
    let writer = try writer()
    for number in 1...50 { writer.append(.location(location(number))) }
    await writer.flush()
    try damage.apply(to: path + "-wal")
    #expect(await writer.finish().failure?.reason == .removed)
    #expect(try integrity(of: path) == "ok")
  }

  @Test("a collector's journal refuses messages after its log is damaged", arguments: Damage.allCases)
  func damagedDeviceJournal(damage: Damage) throws {
    let journal = try DeviceJournalFile(path: path, limit: 1 << 24)
    func commit(_ number: Int) throws {
      var fix = location(number)
      fix.sourceInformation = LocationSourceInformation(deviceIdentifier: "ann/car")
      try journal.commit([DeviceRecord(.location(fix), message: 1, received: Date())])
    }
    try commit(1)
    try damage.apply(to: path + "-wal")
    for number in 2...3 { expectFailure(.removed) { try commit(number) } }
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

  @Test func whatWasLeftInTheLogIsWrittenBackAtTheStart() async throws {
    let first = try writer()
    for number in 1...20 { first.append(.location(location(number))) }
    await first.flush()
    try copyAsKilled(to: folder.file("killed.db"))
    await first.finish()
    let second = try JournalWriter(path: folder.file("killed.db"), limit: 1 << 22, mode: .live)
    let copy = folder.file("copy.db")
    try FileManager.default.copyItem(atPath: folder.file("killed.db"), toPath: copy)
    #expect(try numbers(copy).count == 20)
    await second.finish()
  }

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
    let disk = try SmallDisk("1m")
    let path = disk.path + "/journal.db"
    // In a few commits: the log of many does not fit there.
    let writer = try JournalWriter(
      path: path, limit: 1 << 24, mode: .replay, interval: 1, onNotice: { _ in }, onEnd: { _ in })
    for number in 1...1500 { writer.append(.location(location(number))) }
    await writer.flush()
    // The database has to grow by what is in the log.
    let filler = try disk.fill()
    let error = try #require(await writer.finish().failure)
    #expect(error.message.contains("no space is left on its disk"))
    #expect(error.message.contains("journal.db-wal"))
    // The rows are safe where they are.
    unlink(filler)
    #expect(try numbers(path).count == writer.statistics.rows)
  }

  @Test func aDatabaseThatIsGoneAtTheEndIsSaid() async throws {
    let writer = try writer()
    writer.append(.location(location(1)))
    await writer.flush()
    unlink(path)
    let error = try #require(await writer.finish().failure)
    #expect(error.message.contains("was removed or replaced"))
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
