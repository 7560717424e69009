import Foundation
import LocationKit
import Output
import TestSupport
import Testing

@testable import Journal

/// A temporary journal, which is a queue.
@Suite struct QueueTests {
  @Test func rowsThatAllReadersHaveTakenAreDeleted() async throws {
    let writer = try JournalWriter.temporary(limit: 1 << 22, mode: .replay)
    let readers = [try writer.reader(named: "publish"), try writer.reader(named: "database")]
    func append(_ numbers: ClosedRange<Int>) async {
      for number in numbers { writer.append(.location(location(number))) }
      await writer.flush()
    }
    await append(1...1000)
    try readers[0].advance(to: 1000)
    await append(1001...1100)
    #expect(try readers[1].entries(after: 0, limit: 2000).count == 1100, "the other reader has taken nothing")
    try readers[1].advance(to: 900)
    await append(1101...1200)
    #expect(try readers[1].entries(after: 0, limit: 2000).map(\.sequence) == Array(901...1200))
    #expect(try readers[1].waiting() == JournalWaiting(count: 300, oldest: location(901).timestamp, gone: 900))
    #expect(writer.statistics.unread == 0)
    // All rows are taken, and the numbers go on.
    for reader in readers { try reader.advance(to: 1200) }
    await append(1201...1300)
    for reader in readers { try reader.advance(to: 1300) }
    #expect(try readers[0].waiting().count == 0)
    await append(1301...1400)
    #expect(try readers[0].entries(after: 1300, limit: 200).map(\.sequence) == Array(1301...1400))
    await writer.finish()
  }

  @Test func theFileStaysSmallWhileRowsAreTaken() async throws {
    let writer = try JournalWriter.temporary(limit: 512 << 20, mode: .replay)
    let reader = try writer.reader(named: "publish")
    for number in 1...50_000 {
      writer.append(.location(location(number)))
      guard number % 1000 == 0 else { continue }
      await writer.flush()
      try reader.advance(to: Int64(number))
    }
    #expect(writer.statistics.bytes < 1 << 20, "50,000 rows take about 10 MB")
    await writer.finish()
  }

  /// A queue that was long gives its room back.
  @Test func theFileShrinksAgain() async throws {
    let writer = try JournalWriter.temporary(limit: 512 << 20, mode: .replay)
    let reader = try writer.reader(named: "publish")
    for number in 1...50_000 { writer.append(.location(location(number))) }
    await writer.flush()
    let long = writer.statistics.bytes
    #expect(long > 4 << 20)
    try reader.advance(to: 50_000)
    for number in 50_001...52_000 {
      writer.append(.location(location(number)))
      if number % 100 == 0 { await writer.flush() }
    }
    #expect(writer.statistics.bytes < 3 << 20, "\(writer.statistics.bytes) of \(long)")
    await writer.finish()
  }
}
