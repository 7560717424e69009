import Foundation
import LocationKit
import Writing
import TestSupport
import Testing

@testable import Journal

/// A journal has one writer, whatever name a second one calls it by.
@Suite(.inTurn) struct WriterLockTests: JournalSuite {
  enum Name: CaseIterable {
    case same, symbolicLink, hardLink
  }

  let folder = TestSupport.TemporaryFolder()
  let notices = Recorder<OutputNotice>()

  private func otherName(_ name: Name) throws -> String {
    let other = folder.file("other.db")
    switch name {
    case .same: return path
    case .symbolicLink: try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: path)
    case .hardLink: try FileManager.default.linkItem(atPath: path, toPath: other)
    }
    return other
  }

  @Test(arguments: Name.allCases) func aSecondWriterIsRefused(name: Name) async throws {
    let first = try writer()
    first.append(.location(location(1)))
    await first.flush()
    let other = try otherName(name)
    expectFailure(.locked, "is written by another process already") {
      _ = try JournalWriter(path: other, limit: 1 << 22, mode: .live)
    }
    #expect(throws: JournalError.self) { _ = try DeviceJournalFile(path: other, limit: 1 << 22) }
    first.append(.location(location(2)))
    #expect(await first.finish() == .finished)
    // The lock goes with its holder.
    let second = try JournalWriter(path: other, limit: 1 << 22, mode: .live)
    second.append(.location(location(3)))
    #expect(await second.finish() == .finished)
    #expect(try JournalReader(path: path).entries(after: 0, limit: 9).count == 3)
  }

  @Test func aReaderKeepsItsLocksWhenTheWriterEnds() async throws {
    let writer = try writer()
    writer.append(.location(location(1)))
    await writer.flush()
    let reader = try JournalReader(path: path, name: "mqtt", startingAt: .oldest)
    await writer.finish()
    // Another descriptor's question (F_OFD_GETLK) about the bytes that SQLite locks for each connection.
    let database = open(path, O_RDWR | O_CLOEXEC)
    try #require(database >= 0)
    defer { close(database) }
    var lock = flock()
    (lock.l_type, lock.l_start, lock.l_len) = (Int16(F_WRLCK), 0x4000_0002, 510)
    try #require(fcntl(database, 36, &lock) == 0)
    #expect(lock.l_type == Int16(F_RDLCK))
    #expect(try reader.waiting().count == 1)
  }
}
