import FoundationEssentials
import LocationKit
import Platform
import Records
import SystemPackage
import Writing

/// Copies a receiver's journal to a journal of many devices, where the receiver is one device.
///
/// The file keeps the rows that are not yet copied and remembers the position. The copier has its own thread and waits
/// for a server that is away. For any thread.
package final class JournalCopier: Sendable {
  package struct Statistics: Sendable, Hashable {
    package var copied = 0
    /// The account of the source's rows. Errors are not kept in the target and count as written.
    package var account = Account()
    /// The reason and, on the host's clock, the start of an interruption; `nil` without one.
    package var outage: OutputOutage?
  }

  struct Shared {
    var statistics = Statistics()
    var isEnding = false
  }

  /// Seconds that the thread has to end after a stop, because the server may not answer.
  private static let patience = 0.3

  let worker: Worker<Shared>
  private let host: Host

  /// - Parameters:
  ///   - givesUp: Whether to end when the target cannot be used as it is. The copier waits for a target that is away in
  ///   any case.
  ///   - source: The account of the source, for the report when the target can be written again.
  ///   - onNotice: Called on the copier's thread.
  package init(
    from reader: any JournalQueue, to journal: sending any DeviceJournal, device: String, givesUp: Bool = false,
    source: @escaping @Sendable () -> Account = { Account() }, host: Host = .system,
    onNotice: @escaping OutputNotice.Handler
  ) throws(Errno) {
    (worker, self.host) = (try Worker(Shared()), host)
    let body = CopierBody(
      reader: reader, journal: journal, device: device, givesUp: givesUp, source: source, host: host,
      onNotice: onNotice, worker: worker)
    try worker.start(body, on: host)
  }

  package var statistics: Statistics { worker.withState { $0.statistics } }

  /// Tells the copier that there may be new rows. For any thread; does not wait.
  package func wake() { worker.bell.signal() }

  /// Copies the remaining rows and ends. Returns when that is done, or soon after `stop()`.
  package nonisolated(nonsending) func finish() async {
    worker.withState { $0.isEnding = true }
    worker.bell.signal()
    await worker.wait()
  }

  package func stop() { worker.stop(within: Self.patience, on: host) }
}

private struct CopierBody: LoopBody {
  let reader: any JournalQueue
  let journal: any DeviceJournal
  let device: String
  let givesUp: Bool
  let source: @Sendable () -> Account
  let host: Host
  let onNotice: OutputNotice.Handler
  let worker: Worker<JournalCopier.Shared>
  var retry = Retry<JournalError.Reason, Date>(minimum: 1, maximum: 30)
  /// The end of the wait after a failure, which new rows do not shorten.
  var pauseEnd = -Double.infinity

  private static let batch = 1000

  mutating func step() -> LoopState {
    if worker.stopping.isSignalled { return .ended }
    if host.seconds() < pauseEnd { return .waiting(until: pauseEnd) }
    // Asked before the rows are looked for: others may be added until then, and none after.
    let isEnding = worker.withState { $0.isEnding }
    do throws(JournalError) {
      let count = try copy()
      if retry.succeed() {
        let account = worker.withState { shared in
          shared.statistics.outage = nil
          return shared.statistics.account
        }
        onNotice(OutputNotice(.notice, "\(journal.name) can be written again; \((source() + account).lossSoFar)"))
      }
      if count > 0 { return .ready }
      return isEnding ? .ended : .waiting(until: .infinity)
    } catch {
      if givesUp && error.reason != .unavailable && error.reason != .locked {
        onNotice(OutputNotice(.error, error.message))
        return .ended
      }
      let now = host.date()
      let (pause, isNews) = retry.fail(error.reason, at: now, random: host.random())
      if isNews {
        worker.withState { $0.statistics.outage = OutputOutage(reason: error.message, since: retry.since ?? now) }
        onNotice(OutputNotice(.warning, "\(error.message); retrying, and records wait meanwhile"))
      }
      pauseEnd = host.seconds() + pause
      return .waiting(until: pauseEnd)
    }
  }

  func wait(until deadline: Double) -> Bool { worker.wait(until: deadline, on: host) }

  private func copy() throws(JournalError) -> Int {
    let cursor = reader.cursor
    let entries = try reader.entries(after: cursor, limit: Self.batch)
    guard let first = entries.first?.sequence, let last = entries.last?.sequence else { return 0 }
    let records = entries.compactMap { DeviceRecord($0, of: device, received: host.date()) }
    let untimed = entries.count { !$0.record.isError } - records.count
    try journal.commit(records)
    for notice in journal.takeNotices() { onNotice(OutputNotice(.warning, "\(journal.name) \(notice)")) }
    try reader.advance(to: last)
    // Row numbers have no gaps, so missing numbers before the first row are rows that the size limit deleted.
    let (count, gone) = (Int(last - cursor), Int(first - cursor - 1))
    let isFirstUntimed = worker.withState { shared in
      shared.statistics.copied += records.count
      defer {
        shared.statistics.account.accept(count)
        shared.statistics.account.drop(gone, .limit)
        shared.statistics.account.drop(untimed, .untimed)
        shared.statistics.account.write(count - gone - untimed)
      }
      return untimed > 0 && shared.statistics.account.drops[.untimed] == nil
    }
    if isFirstUntimed {
      onNotice(
        OutputNotice(
          .warning,
          "a location without a time, or with one outside the years from 1678 to 2261, is not kept in \(journal.name); "
            + "there may be more, which are counted"))
    }
    return entries.count
  }
}

extension DeviceRecord {
  /// Converts a row of a receiver's journal, where its number is unique; `nil` without a time or a place.
  fileprivate init?(_ entry: JournalEntry, of device: String, received: Date) {
    guard entry.record.time != nil else { return nil }
    let record: JournalRecord
    switch entry.record {
    case .location(var location):
      guard location.coordinate.isValid else { return nil }
      location.source.deviceIdentifier = device
      record = .location(location)
    case .crossing(var crossing):
      crossing.location.source.deviceIdentifier = device
      record = .crossing(crossing)
    case .error: return nil
    }
    self.init(record, message: entry.sequence, received: received)
  }
}
