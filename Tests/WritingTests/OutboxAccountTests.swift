import Platform
import Records
import SystemPackage
import TestSupport
import Testing

@testable import Writing

/// The account of an outbox: accepted = written + dropped + waiting, whatever happens.
@Suite(.inTurn) struct OutboxAccountTests {
  /// Random faults: writes that fail for good or for a while, slow readers, overflow, a failing close, a stop at any time.
  @Test(arguments: [OutboxMode.live, .replay])
  func theAccountBalancesAfterEveryEvent(mode: OutboxMode) {
    for seed in UInt64(1)...(runsLongTests ? 5000 : 100) {
      var random = SplitMix(state: seed)
      var outbox = SimulatedOutbox(
        mode: mode, limit: Int.random(in: 1...6, using: &random), interval: Bool.random(using: &random) ? 0.5 : 0)
      outbox.isTemporary = Bool.random(using: &random)
      outbox.closingFails = Bool.random(using: &random)
      var history: [SimulatedOutbox.Event] = []
      for _ in 0..<80 {
        // The end comes now and then only.
        let isLast = Int.random(in: 0..<60, using: &random) == 0
        let events: [SimulatedOutbox.Event] =
          isLast
          ? [.finish, .close, .cancel] : [.append, .appendDirectly, .step, .stepInPart, .stepFailing, .second, .reopen]
        history.append(events.randomElement(using: &random)!)
        outbox.apply(history.last!)
        outbox.check(history, mode)
      }
      outbox.apply(.finish)
      for _ in 0..<40 {
        outbox.now += 1
        outbox.step(amount: 1)
      }
      outbox.check(history, mode)
      let account = outbox.state.statistics.account
      guard account.waiting == 0, outbox.state.end != nil else {
        Issue.record("seed \(seed): \(account), \(String(describing: outbox.state.end))")
        return
      }
      // What the outbox says of its end is what its account says.
      #expect(account.isSettled == (account.written == account.accepted && !outbox.closingFails), "seed \(seed)")
    }
  }

  @Test func aReaderThatLeavesLosesOnlyWhatOverflowedBefore() {
    var state = OutboxState<NumberBatch, NumberError>(mode: .live, limit: 4, interval: 0)
    for number in 0..<5 {
      _ = state.append(size: 1, isRecord: true, isDirect: false, at: 0) { $0.numbers.append(number) }
    }
    #expect(state.closed(.readerGone, failure: nil, unwritten: NumberBatch()) == .readerGone)
    _ = state.append(size: 1, isRecord: true, isDirect: false, at: 0) { $0.numbers.append(5) }
    #expect(state.statistics.account.drops == [.overflow: 2, .unwanted: 4])
    #expect(state.statistics.account.lost == 2 && state.statistics.account.waiting == 0)
  }

  @Test func aDestinationThatCannotBeClosedHasFailedThoughItsReaderIsGone() {
    var state = OutboxState<NumberBatch, NumberError>(mode: .live, limit: 4, interval: 0)
    _ = state.closed(.readerGone, failure: NumberError(), unwritten: NumberBatch())
    #expect(!state.statistics.account.isSettled)
  }

  /// A destination that takes everything and fails when it is closed, as a file on a server does whose disk is full.
  private final class UnclosableFile: RecordFile {
    let name = "a file"
    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int { bytes.count }
    func reopen() {}
    func close() throws(Errno) { throw .noSpace }
  }

  @Test func aFileThatCannotBeClosedIsALoss() async throws {
    let pipe = try TestPipe()
    let stream = try RecordStream(
      to: UnclosableFile(pipe.writing), mode: .live, limit: 1 << 20, describeDropped: { _, _ in },
      onNotice: { _ in }, onEnd: { _ in })
    for _ in 0..<3 { stream.append(record("a line\n")) }
    #expect(await stream.finish() == .failed(.noSpace))
    let account = stream.statistics.account
    #expect(account.written == 3 && account.waiting == 0 && !account.isSettled)
  }
}
