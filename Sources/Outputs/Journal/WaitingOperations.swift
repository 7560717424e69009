import Output

/// Operations that wait for a commit or are being committed, in one or a few transactions.
struct WaitingOperations: OutboxBatch {
  private var operations: [JournalOperation] = []
  /// How many operations from the start are written.
  private var written = 0

  var size: Int { operations.count }
  var isWritten: Bool { written == operations.count }
  var unwrittenRecords: Int { operations[written...].count { $0.isRecord } }
  var isAtBoundary: Bool { true }

  mutating func append(_ operation: JournalOperation) { operations.append(operation) }

  /// The next operations to write, at most `count`.
  func next(_ count: Int) -> [JournalOperation] {
    written == 0 && count >= operations.count ? operations : Array(operations[written...].prefix(count))
  }

  mutating func markWritten(_ count: Int) { written += count }

  /// Removes the oldest records, but keeps operations on fences.
  mutating func removeOldest(downTo size: Int) -> Int {
    let most = max(1, operations.count - size)
    var removed = 0
    operations.removeAll { operation in
      guard removed < most, operation.isRecord else { return false }
      removed += 1
      return true
    }
    return removed
  }

  mutating func removeAll() {
    operations.removeAll(keepingCapacity: true)
    written = 0
  }
}
