import FoundationEssentials
import LocationKit
import Writing
import Platform
import Synchronization
import SystemPackage

/// The journal of one receiver, for the output that fills it. For any thread.
package protocol ReceiverJournal: Sendable {
  associatedtype Queue: JournalQueue

  var name: String { get }
  /// The states of fences that the journal had at opening.
  var fences: [FenceState] { get }
  var statistics: JournalWriter.Statistics { get }

  /// Appends a record. A location without a valid coordinate is ignored. In a replay it may wait.
  func append(_ record: JournalRecord)
  func remember(_ fence: FenceState)
  /// Forgets the states of fences that are not among `regions`; a fence that has moved is a different one.
  func keepFences(_ regions: Set<CircularRegion>)
  /// Confirms the states of all fences at the time of a fix.
  func confirmFences(at time: Date)
  /// Returns a reader that begins after the newest row, or where a reader of that name was.
  func reader(named name: String) throws(JournalError) -> Queue
  /// Adds a handler that is called after each commit with the newest row's sequence number.
  func onCommit(_ handler: @escaping @Sendable (_ newest: Int64) -> Void)
  /// Commits the waiting records, accepts no more, and returns how the writing ended.
  func finish() async -> JournalWriter.End
  /// Accepts no more records, and releases a caller that waits for room.
  func cancel()
}

/// A journal in memory, for readers that fall behind during a run. Rows that all readers have read are deleted. Beyond the
/// limit a replay waits for them, and a live run deletes the oldest rows.
package final class MemoryJournal: ReceiverJournal {
  fileprivate struct State {
    /// The rows after `gone`; the first `read` of them are deleted with the next ones.
    var rows: [JournalRecord] = []
    var read = 0
    var gone: Int64 = 0
    var cursors: [String: Int64] = [:]
    var fences: [String: FenceState] = [:]
    var statistics = JournalWriter.Statistics()
    var unread = UnreadRows()
    var handlers: [@Sendable (Int64) -> Void] = []
    var isClosed = false

    var newest: Int64 { gone + Int64(rows.count) }
    var oldest: Int64 { gone + Int64(read) }
    var count: Int { rows.count - read }

    mutating func removeRead() { remove(through: cursors.values.min() ?? newest) }

    mutating func remove(through last: Int64) {
      read = max(read, min(rows.count, Int(last - gone)))
      guard read > 1000, read > rows.count / 2 else { return }
      gone += Int64(read)
      rows.removeFirst(read)
      read = 0
    }
  }

  package let name = "queue in memory"
  package let fences: [FenceState] = []
  private let mode: OutboxMode
  private let limit: Int
  private let host: Host
  private let onNotice: OutputNotice.Handler
  fileprivate let room: Wakeup
  fileprivate let state = Mutex(State())

  /// About 32 MiB.
  private static let mostRows = 1 << 16

  /// - Parameter limit: The limit in bytes, of which a row has about 512.
  package init(
    limit: Int, mode: OutboxMode, host: Host = .system, onNotice: @escaping OutputNotice.Handler = { _ in }
  ) throws(Errno) {
    (self.mode, self.host, self.onNotice, room) = (mode, host, onNotice, try Wakeup())
    self.limit = max(64, min(limit / 512, Self.mostRows))
  }

  package func append(_ record: JournalRecord) {
    if case .location(let location) = record, !location.coordinate.isValid { return }
    while mode == .replay, state.withLock({ $0.count >= limit && !$0.isClosed }) {
      _ = room.wait()
      _ = room.reset()
    }
    let now = host.seconds()
    var notices: [String] = []
    state.withLock { state in
      state.statistics.account.accept()
      guard !state.isClosed else { return state.statistics.account.drop(1, .end) }
      state.removeRead()
      state.rows.append(record)
      if case .crossing(let crossing) = record {
        state.fences[crossing.region.identifier] = FenceState(
          region: crossing.region.circle, state: crossing.state, time: crossing.location.timestamp)
      }
      state.statistics.account.write()
      state.statistics.newest = state.newest
      guard state.count > limit else { return }
      // Some at a time, so that a reader that is away costs little.
      let last = state.oldest + Int64(max(1, limit / 64))
      var losses: [String: Int] = [:]
      for (name, cursor) in state.cursors where cursor < last { losses[name] = Int(last - max(cursor, state.oldest)) }
      state.remove(through: last)
      state.statistics.unread += losses.values.reduce(0, +)
      notices = state.unread.report(losses, in: name, at: now)
    }
    for notice in notices { onNotice(OutputNotice(.warning, notice)) }
    let (handlers, newest) = state.withLock { ($0.handlers, $0.newest) }
    for handler in handlers { handler(newest) }
  }

  package func remember(_ fence: FenceState) { state.withLock { $0.fences[fence.region.identifier] = fence } }

  package func keepFences(_ regions: Set<CircularRegion>) {
    state.withLock { $0.fences = $0.fences.filter { regions.contains($0.value.region) } }
  }

  package func confirmFences(at time: Date) {}

  package func reader(named name: String) -> MemoryReader {
    state.withLock { state in
      let cursor = state.cursors[name] ?? state.newest
      state.cursors[name] = cursor
    }
    return MemoryReader(journal: self, name: name)
  }

  package func onCommit(_ handler: @escaping @Sendable (_ newest: Int64) -> Void) {
    state.withLock { $0.handlers.append(handler) }
  }

  package var statistics: JournalWriter.Statistics { state.withLock { $0.statistics } }

  package func finish() async -> JournalWriter.End {
    cancel()
    return .finished
  }

  package func cancel() {
    state.withLock { $0.isClosed = true }
    room.signal()
  }
}

/// For any thread.
package struct MemoryReader: JournalQueue {
  fileprivate let journal: MemoryJournal
  fileprivate let name: String

  package var cursor: Int64 { journal.state.withLock { $0.cursors[name] ?? 0 } }

  package func entries(after sequence: Int64, limit: Int) -> [JournalEntry] {
    journal.state.withLock { state in
      let first = max(sequence, state.oldest)
      return state.rows.dropFirst(Int(first - state.gone)).prefix(max(0, limit)).enumerated().map { index, record in
        JournalEntry(sequence: first + Int64(index) + 1, record: record)
      }
    }
  }

  package func fenceStates(after sequence: Int64) -> [String: Bool] {
    journal.state.withLock { state in
      var states: [String: Bool] = [:]
      for (name, fence) in state.fences where fence.state != .unknown { states[name] = fence.state == .inside }
      // Before a fence's next event the receiver was on the other side.
      for record in state.rows.dropFirst(max(0, Int(sequence - state.gone))).reversed() {
        if case .crossing(let crossing) = record { states[crossing.region.identifier] = crossing.state != .inside }
      }
      return states
    }
  }

  /// None: the queue remembers nothing for the next run.
  package func waypointTimes(of fences: [String], now: Int) -> [String: Int] { [:] }

  package func newestSequence() -> Int64 { journal.state.withLock { $0.newest } }

  package func advance(to sequence: Int64) {
    journal.state.withLock { state in
      state.cursors[name] = max(state.cursors[name] ?? 0, sequence)
      state.removeRead()
    }
    journal.room.signal()
  }

  package func waiting() -> JournalWaiting {
    journal.state.withLock { state in
      let read = max(state.cursors[name] ?? 0, state.oldest)
      let first = state.rows.dropFirst(Int(read - state.gone)).first
      return JournalWaiting(count: Int(state.newest - read), oldest: first?.time, gone: state.oldest)
    }
  }
}

/// How many rows each reader has lost at a journal's limit, reported once a minute while the number grows.
struct UnreadRows {
  private var readers: [String: (count: Int, report: LossReport)] = [:]

  mutating func report(_ losses: [String: Int], in journal: String, at now: Double) -> [String] {
    losses.sorted { $0.key < $1.key }.compactMap { reader, count in
      readers[reader, default: (0, LossReport())].count += count
      guard let lost = readers[reader]?.count, readers[reader]?.report.due(lost, at: now) != nil else { return nil }
      let rows = "\(counted(lost, "row was", "rows were")) deleted before the reader \(reader) had read"
      return "\(journal) is at its limit: \(rows) \(lost == 1 ? "it" : "them"), and more will be until it catches up"
    }
  }
}
