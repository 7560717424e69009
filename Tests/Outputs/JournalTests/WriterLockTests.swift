import Foundation
import LocationKit
import Output
import TestSupport
import Testing

@testable import Journal

/// A journal has one writer, whatever name a second one calls it by.
@Suite struct WriterLockTests {
  enum Name: CaseIterable {
    case same, symbolicLink, hardLink, lockRemoved
  }

  private let folder: TestSupport.TemporaryFolder
  private var path: String { folder.file("journal.db") }

  init() throws { folder = try TestSupport.TemporaryFolder() }

  private func otherName(_ name: Name) throws -> String {
    let other = folder.file("other.db")
    switch name {
    case .same: return path
    case .symbolicLink: try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: path)
    case .hardLink: try FileManager.default.linkItem(atPath: path, toPath: other)
    case .lockRemoved:
      try FileManager.default.removeItem(atPath: path + "-lock")
      return path
    }
    return other
  }

  @Test(arguments: Name.allCases) func aSecondWriterIsRefused(name: Name) async throws {
    let first = try JournalWriter(path: path, limit: 1 << 22, mode: .live)
    first.append(.location(location(1)))
    await first.flush()
    let other = try otherName(name)
    let error = try #require(throws: JournalError.self) {
      _ = try JournalWriter(path: other, limit: 1 << 22, mode: .live)
    }
    #expect(error.reason == .locked && error.message.contains("is written by another process already"), "\(error)")
    #expect(throws: JournalError.self) { _ = try DeviceJournalFile(path: other, limit: 1 << 22) }
    first.append(.location(location(2)))
    #expect(await first.finish() == .finished)
    // The lock goes with its holder.
    let second = try JournalWriter(path: other, limit: 1 << 22, mode: .live)
    second.append(.location(location(3)))
    #expect(await second.finish() == .finished)
    #expect(try JournalReader(path: path).entries(after: 0, limit: 9).count == 3)
  }

  /// SQLite's locks for this process's readers must survive the end of the writer.
  @Test func aReaderKeepsItsLocksWhenTheWriterEnds() async throws {
    let writer = try JournalWriter(path: path, limit: 1 << 22, mode: .live)
    writer.append(.location(location(1)))
    await writer.flush()
    let reader = try JournalReader(path: path, name: "mqtt", startingAt: .oldest)
    await writer.finish()
    var status = stat()
    try #require(stat(path, &status) == 0)
    let locks = try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n")
    #expect(locks.contains { $0.contains("POSIX") && $0.contains(" \(getpid()) ") && $0.contains(":\(status.st_ino) ") })
    #expect(try reader.waiting().count == 1)
  }
}
