import Dispatch
import Foundation
import LocationKit
import Writing
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Journal

@Suite(.inTurn) struct JournalCopierTests {
  /// A journal in memory that can be away.
  private final class Memory: DeviceJournal, Sendable {
    private let state = Mutex((numbers: Set<Int64>(), isAway: false))
    let name = "journal in memory"

    var rows: Int { state.withLock { $0.numbers.count } }
    func setAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }

    func commit(_ records: [DeviceRecord]) throws(JournalError) {
      let isAway = state.withLock { state in
        if !state.isAway { state.numbers.formUnion(records.map(\.message)) }
        return state.isAway
      }
      if isAway { throw JournalError(.unavailable, path: "memory", "is away") }
    }
    func takeNotices() -> [String] { [] }
    func newestLocations() -> [Location] { [] }
    func recentLocations(within seconds: Double) -> [Location] { [] }
    func lastCrossings() -> [RegionCrossing] { [] }
  }

  /// A queue that is filled after it was found empty, and before the copier knows.
  private struct LateQueue: JournalQueue {
    let rows: MemoryReader
    let whenEmpty: @Sendable () -> Void

    var cursor: Int64 { rows.cursor }
    func entries(after sequence: Int64, limit: Int) -> [JournalEntry] {
      let entries = rows.entries(after: sequence, limit: limit)
      if entries.isEmpty { whenEmpty() }
      return entries
    }
    func fenceStates(after sequence: Int64) -> [String: Bool] { [:] }
    func waypointTimes(of fences: [String], now: Int) -> [String: Int] { [:] }
    func newestSequence() -> Int64 { rows.newestSequence() }
    func advance(to sequence: Int64) { rows.advance(to: sequence) }
    func waiting() -> JournalWaiting { rows.waiting() }
  }

  /// A queue that is copied to a journal in memory, which may be away at first.
  private struct Copying {
    let journal: MemoryJournal
    let reader: MemoryReader
    let memory = Memory()
    let notices = Recorder<OutputNotice>()
    let copier: JournalCopier

    init(isAway: Bool) throws {
      let journal = try MemoryJournal(limit: 1 << 18, mode: .live)
      memory.setAway(isAway)
      self.journal = journal
      reader = journal.reader(named: "database")
      let copier = try JournalCopier(
        from: reader, to: memory, device: "here", source: { journal.statistics.account }, onNotice: notices.record)
      journal.onCommit { _ in copier.wake() }
      self.copier = copier
    }
  }

  @Test func whatComesJustBeforeTheEndIsCopied() async throws {
    let journal = try MemoryJournal(limit: 1 << 18, mode: .live)
    let memory = Memory()
    let (found, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isFirst = Mutex(true)
    let queue = LateQueue(rows: journal.reader(named: "database")) {
      guard isFirst.withLock({ exchange(&$0, with: false) }) else { return }
      found.signal()
      goOn.wait()
    }
    let copier = try JournalCopier(from: queue, to: memory, device: "here", onNotice: { _ in })
    #expect(await eventually { found.wait(timeout: .now()) == .success })
    journal.append(.location(location(1)))
    async let end: Void = copier.finish()
    #expect(await eventually { copier.worker.withState { $0.isEnding } })
    goOn.signal()
    await end
    #expect(memory.rows == 1)
  }

  /// Random faults: an outage, a limit that takes rows before they are copied, locations without a time, errors.
  @Test func theAccountBalances() async throws {
    for seed in UInt64(1)...(runsLongTests ? 100 : 4) {
      var random = SplitMix(state: seed)
      let copying = try Copying(isAway: Bool.random(using: &random))
      let (journal, memory, copier) = (copying.journal, copying.memory, copying.copier)
      let count = 4000
      var (untimed, errors) = (0, 0)
      for number in 1...count {
        var fix = location(number)
        switch Int.random(in: 0..<20, using: &random) {
        case 0:
          fix.timestamp = Bool.random(using: &random) ? nil : Date(timeIntervalSince1970: 1e12)
          untimed += 1
          journal.append(.location(fix))
        case 1:
          errors += 1
          journal.append(.error(LocationError(.network, ""), nil))
        default: journal.append(.location(fix))
        }
        if number % 1000 == 0 {
          let account = copier.statistics.account
          #expect(account.accepted <= copying.reader.cursor && account.waiting == 0, "seed \(seed): \(account)")
        }
        if Int.random(in: 0..<500, using: &random) == 0 { memory.setAway(Bool.random(using: &random)) }
      }
      memory.setAway(false)
      await copier.finish()
      let account = copier.statistics.account
      #expect(account.accepted == count && account.waiting == 0, "seed \(seed): \(account)")
      // The limit may take rows that are being copied.
      #expect(account.drops[.limit, default: 0] <= journal.statistics.unread, "seed \(seed): \(account)")
      #expect(account.drops[.untimed, default: 0] <= untimed && account.written <= memory.rows + errors)
      #expect(copier.statistics.copied == memory.rows, "seed \(seed): \(copier.statistics), \(memory.rows)")
      let messages = copying.notices.values.map(\.message)
      #expect(messages.count { $0.contains("a location without a time") } == (account.drops[.untimed] == nil ? 0 : 1))
    }
  }

  @Test func aLossIsSaidWhenTheJournalIsBack() async throws {
    let copying = try Copying(isAway: true)
    let (journal, memory, copier) = (copying.journal, copying.memory, copying.copier)
    for number in 1...4000 { journal.append(.location(location(number))) }
    #expect(await eventually { copier.statistics.outage != nil })
    let lost = journal.statistics.unread
    try #require(lost > 0)
    memory.setAway(false)
    await copier.finish()
    let words = "journal in memory can be written again; \(lost) records were lost so far"
    #expect(copying.notices.values.last?.message == words)
    #expect(copier.statistics.account.drops == [.limit: lost] && memory.rows == 4000 - lost)
  }
}
