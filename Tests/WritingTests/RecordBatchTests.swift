import TestSupport
import Testing

@testable import Writing

/// Whole records and how far they are written, to the byte.
@Suite(.inTurn) struct RecordBatchTests {
  /// Three records of four bytes.
  private func batch() -> RecordBatch {
    var batch = RecordBatch()
    for text in ["aaa\n", "bbb\n", "ccc\n"] { append(text, to: &batch) }
    return batch
  }

  private func append(_ text: String, isRecord: Bool = true, to batch: inout RecordBatch) {
    Array(text.utf8).withUnsafeBytes { batch.append($0, isRecord: isRecord) }
  }

  @Test(arguments: [(12, 1, 8), (8, 1, 8), (7, 2, 4), (4, 2, 4), (3, 3, 0), (0, 3, 0)])
  func theOldestGoUntilTheRestFits(size: Int, removed: Int, left: Int) {
    var batch = batch()
    let count = batch.removeOldest(downTo: size)
    #expect(count == removed)
    #expect(batch.size == left && batch.unwrittenRecords == left / 4)
    // What is left ends where its records end.
    if left > 0 {
      batch.advance(by: 4)
      #expect(batch.isAtBoundary && batch.unwrittenRecords == left / 4 - 1)
    }
  }

  @Test func aRecordIsWrittenWithItsLastByte() {
    var batch = batch()
    #expect(batch.isAtBoundary)
    batch.advance(by: 3)
    #expect(!batch.isAtBoundary && batch.unwrittenRecords == 3)
    batch.advance(by: 1)
    #expect(batch.isAtBoundary && batch.unwrittenRecords == 2)
    batch.advance(by: 8)
    #expect(batch.isAtBoundary && batch.unwrittenRecords == 0)
  }

  @Test func aNoteIsAPartOfTheFirstRecord() {
    var batch = batch()
    Array("lost\n".utf8).withUnsafeBytes { batch.prepend($0) }
    batch.advance(by: 5)
    #expect(!batch.isAtBoundary && batch.unwrittenRecords == 3)
    batch.advance(by: 4)
    #expect(batch.isAtBoundary && batch.unwrittenRecords == 2)
    batch.removeAll()
    append("ddd\n", to: &batch)
    #expect(batch.isAtBoundary && batch.unwrittenRecords == 1 && batch.position == 0)
  }
}
