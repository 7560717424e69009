import FoundationEssentials
import Serving
import Journal
import LocationKit
import Writing
import Platform
import Publishing
import Rx
import RxBinding
import SystemPackage

@MainActor
final class JournalOutput: ReceiverOutput {
  let journal: any ReceiverJournal
  let isTemporary: Bool
  var fences: [FenceState] { journal.fences }
  private(set) var loss: String?
  private let sparing: SparingFilter?
  private var pipeline: PipelineView?
  private let bag = DisposeBag()

  init(_ journal: any ReceiverJournal, isTemporary: Bool, isSparing: Bool = false) {
    (self.journal, self.isTemporary, sparing) = (journal, isTemporary, isSparing ? SparingFilter() : nil)
  }

  static func privacy(_ settings: Settings) -> [PrivacyRule] { [] }

  convenience init?(_ outputs: Outputs, _ settings: Settings) throws(CommandError) {
    let onEnd: @Sendable (JournalWriter.End) -> Void = { [onEnd = outputs.onEnd] _ in onEnd() }
    do throws(JournalError) {
      if let path = settings.outputs.journal?.path {
        let isRead = !settings.publishing.addresses.isEmpty
        let journal = try JournalWriter(
          path: path, limit: settings.journalBound.limit, mode: outputs.mode,
          interval: settings.spareDisk && !isRead && !outputs.isReplay ? 20 : nil, onNotice: outputs.onNotice,
          onEnd: onEnd)
        outputs.places.append("journal \(path)")
        self.init(journal, isTemporary: false, isSparing: settings.spareDisk)
        return
      }
    } catch {
      throw CommandError(error, isInput: false)
    }
    let peers =
      settings.publishing.addresses.map { "the \($0.peer)" }
      + (settings.outputs.journal == nil ? [] : ["the database"])
    guard let first = peers.first else { return nil }
    let peer = peers.count > 1 ? "one of them" : first
    let kind = settings.outputs.journal == nil ? "journal" : "journal's file"
    outputs.onNotice(
      OutputNotice(.notice, "there is no \(kind), so records that \(peer) has not accepted at the end are lost"))
    if !settings.watch.fences.isEmpty {
      outputs.onNotice(
        OutputNotice(
          .notice,
          "there is no \(kind), so fences that are crossed while this program does not run are not reported"))
    }
    do throws(Errno) {
      let journal = try MemoryJournal(
        limit: settings.journalBound.limit, mode: outputs.mode, onNotice: outputs.onNotice)
      self.init(journal, isTemporary: true)
    } catch {
      throw CommandError(.cannotCreate, "cannot keep records for \(peer): \(error)")
    }
  }

  func bind(to pipeline: PipelineView) {
    self.pipeline = pipeline
    let times = pipeline.locations.map { $0.last?.timestamp }.startWith(nil)
    pipeline.locations
      .bind(with: self) { output, locations in
        for location in locations where output.sparing?.keeps(location.coordinate, at: location.timestamp) ?? true {
          output.journal.append(.location(location))
        }
      }
      .disposed(by: bag)
    pipeline.errors
      .withLatestFrom(times) { ($0, $1) }
      .bind(with: self) { output, error in
        output.journal.append(.error(error.0, error.1))
        output.sparing?.reset()
      }
      .disposed(by: bag)
    pipeline.crossings.subscribe(onNext: { [journal] in journal.append(.crossing($0)) }).disposed(by: bag)
    pipeline.regionStates
      .withLatestFrom(times) { FenceState(region: $0.region.circle, state: $0.state, time: $1) }
      .subscribe(onNext: { [journal] in journal.remember($0) })
      .disposed(by: bag)
    pipeline.fences.subscribe(onNext: { [journal] in journal.keepFences(Set($0.map(\.circle))) }).disposed(by: bag)
  }

  func addMetrics(to registry: MetricsRegistry) {
    let read = { @Sendable [journal] in journal.statistics }
    registry.addCounters(
      of: read, ("journal_rows", "Records that were committed to the journal.", { $0.rows }),
      ("journal_dropped_records", "Records that the journal could not keep.", { $0.dropped }),
      ("journal_unread_rows", "Rows that were removed from the journal before a reader had read them.", { $0.unread }),
      ("journal_failures", "Times that the journal began to fail.", { $0.failures }))
    registry.gauge("rxlocationd_journal_bytes", help: "The size of the journal's file.") { Double(read().bytes) }
  }

  var summary: String? {
    let statistics = journal.statistics
    return "\(statistics.rows) to the journal, \(statistics.dropped) dropped"
      + (statistics.untimed > 0 && !isTemporary ? ", \(statistics.untimed) without a time" : "")
  }

  nonisolated var hasPeer: Bool { false }

  func finish() async {
    // The last fix confirms the fences' states.
    if let time = pipeline?.lastFixTime { journal.confirmFences(at: time) }
    let end = await journal.finish()
    let account = journal.statistics.account
    guard !account.isSettled else { return }
    let count = account.notDelivered("kept")
    loss =
      if case .failed(let error) = end {
        account.dropped > 0 ? "\(error.message); \(count)" : error.message
      } else {
        "\(journal.name): \(count), because it was too slow or failed for a while"
      }
  }

  nonisolated func cancel() { journal.cancel() }
}

extension CommandError {
  /// - Parameter isInput: Whether the journal was opened for reading.
  init(_ error: JournalError, isInput: Bool) {
    let status: ExitStatus =
      switch error.reason {
      case .notADatabase, .foreign, .newerVersion, .damaged: .dataError
      case .inputOutput, .removed: isInput ? .ioError : .cannotCreate
      case .cannotOpen, .readOnly, .locked: isInput ? .noInput : .cannotCreate
      case .unavailable: .unavailable
      }
    self.init(status, error.message)
  }
}
