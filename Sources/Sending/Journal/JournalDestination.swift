import Writing
import Platform
import Synchronization

final class JournalDestination: OutboxDestination {
  let name: String
  /// `nil` when it is closed. Other programs may then write the file.
  private var journal: JournalFile?
  private let path: String
  private let status: JournalStatus
  private let host: Host
  private let onNotice: OutputNotice.Handler
  private var reportedUntimed = 0
  private var unread = UnreadRows()

  init(
    _ journal: JournalFile, path: String, status: JournalStatus, host: Host, onNotice: @escaping OutputNotice.Handler
  ) {
    name = "journal \(path)"
    (self.journal, self.path, self.status, self.host, self.onNotice) = (journal, path, status, host, onNotice)
    update(journal)
  }

  func start() {
    if let journal { reportRepairs(journal) }
  }

  func write(_ batch: inout WaitingOperations, until cancellation: Wakeup) throws(JournalError) -> Int {
    guard let journal else { throw JournalError(.inputOutput, path: path, "is closed") }
    defer { reportRepairs(journal) }
    try journal.commit(batch.operations)
    let records = batch.unwrittenRecords
    batch.removeAll()
    if reportedUntimed == 0 { reportUntimed(journal) }
    report(journal.enforceLimit())
    update(journal)
    if records > 0 { status.committed(journal.newest) }
    return records
  }

  func describe(_ failure: JournalError) -> String { failure.message }

  /// Another program's lock passes.
  func isTemporary(_ failure: JournalError) -> Bool { failure.reason == .locked }

  func close() throws(JournalError) {
    guard let journal else { return }
    defer {
      reportRepairs(journal)
      reportUntimed(journal)
      self.journal = nil
    }
    try journal.finish()
  }

  private func update(_ journal: JournalFile) {
    status.update { ($0.newest, $0.bytes, $0.untimed) = (journal.newest, journal.size, journal.untimed) }
  }

  /// Reports records that were stored without a time: the first one, and their number at the end.
  private func reportUntimed(_ journal: JournalFile) {
    guard journal.untimed > reportedUntimed else { return }
    reportedUntimed = journal.untimed
    let records = counted(reportedUntimed, "record has", "records have")
    onNotice(
      OutputNotice(
        .warning,
        "\(name): \(records) no time, or one outside the years from 1678 to 2261, and \(reportedUntimed == 1 ? "is" : "are") "
          + "kept without it"))
  }

  private func reportRepairs(_ journal: JournalFile) {
    for notice in journal.takeNotices() { onNotice(OutputNotice(.warning, "\(name) \(notice)")) }
  }

  private func report(_ losses: [String: Int]) {
    status.update { $0.unread += losses.values.reduce(0, +) }
    for notice in unread.report(losses, in: name, at: host.seconds()) { onNotice(OutputNotice(.warning, notice)) }
  }
}

/// Operations that wait for a commit or are being committed, in one transaction.
struct WaitingOperations: OutboxBatch {
  private(set) var operations: [JournalOperation] = []

  var size: Int { operations.count }
  var isWritten: Bool { operations.isEmpty }
  var unwrittenRecords: Int { operations.count { $0.isRecord } }
  var isAtBoundary: Bool { true }

  mutating func append(_ operation: JournalOperation) { operations.append(operation) }

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

  mutating func removeAll() { operations.removeAll(keepingCapacity: true) }
}

/// The writing thread's statistics of the file, for all threads.
final class JournalStatus: Sendable {
  private let state = Mutex((statistics: JournalWriter.Statistics(), handlers: [@Sendable (Int64) -> Void]()))

  var statistics: JournalWriter.Statistics { state.withLock { $0.statistics } }

  func update(_ change: (inout JournalWriter.Statistics) -> Void) { state.withLock { change(&$0.statistics) } }

  func onCommit(_ handler: @escaping @Sendable (Int64) -> Void) { state.withLock { $0.handlers.append(handler) } }

  func committed(_ newest: Int64) {
    for handler in state.withLock({ $0.handlers }) { handler(newest) }
  }
}
