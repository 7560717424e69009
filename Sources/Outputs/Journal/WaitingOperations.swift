import Output

/// What waits to be committed, or is. It is written whole, in one transaction.
struct WaitingOperations: OutboxBatch {
  private(set) var operations: [JournalOperation] = []
  private(set) var isWritten = true

  var size: Int { operations.count }
  var unwrittenRecords: Int { isWritten ? 0 : operations.count { $0.isRecord } }
  var isAtBoundary: Bool { true }

  mutating func append(_ operation: JournalOperation) {
    operations.append(operation)
    isWritten = false
  }

  mutating func markWritten() { isWritten = true }

  /// What is remembered of fences stays.
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
    isWritten = true
  }
}
