import FoundationEssentials
import Serving
import Journal
import Writing
import Platform
import SystemPackage

/// The journal in a database. Records that it has not accepted wait in memory.
@MainActor
final class DatabaseOutput: ReceiverOutput {
  private(set) var loss: String?
  private let copier: JournalCopier
  private let reader: any JournalQueue
  private let name: String
  private let isReplay: Bool

  static func privacy(_ settings: Settings) -> [PrivacyRule] { [] }

  init?(_ outputs: Outputs, _ settings: Settings) throws(CommandError) {
    guard case .database(let url) = settings.outputs.journal, let output = outputs.output(JournalOutput.self)
    else { return nil }
    let journal: PostgreSQLJournal
    do throws(JournalError) {
      journal = try settings.outputs.database.journal(at: url)
      journal.days = settings.journalBound.days
      reader = try output.journal.reader(named: "database")
    } catch {
      throw CommandError(error, isInput: false)
    }
    (name, isReplay) = (journal.name, outputs.isReplay)
    do throws(Errno) {
      copier = try JournalCopier(
        from: reader, to: journal, device: hostName, givesUp: isReplay,
        source: { [journal = output.journal] in journal.statistics.account }, onNotice: outputs.onNotice)
    } catch {
      throw CommandError(.cannotCreate, "cannot write to \(name): \(error)")
    }
    output.journal.onCommit { [copier] _ in copier.wake() }
    outputs.places.append(name)
  }

  func addMetrics(to registry: MetricsRegistry) {
    let read = { @Sendable [copier] in copier.statistics }
    registry.addCounters(of: read, ("database_rows", "Records that were committed to the database.", { $0.copied }))
    registry.gauge("rxlocationd_database_connected", help: "1 while the database accepts records, else 0.") {
      read().outage == nil ? 1 : 0
    }
    registry.addLosses(of: "database") { read().account }
  }

  var summary: String? {
    let statistics = copier.statistics
    var parts = ["\(statistics.copied) to the database"]
    if let count = statistics.account.drops[.untimed] { parts.append("\(count) without a time not kept there") }
    if let count = statistics.account.drops[.limit] { parts.append("\(count) dropped by the limit of the queue") }
    return parts.joined(separator: ", ")
  }

  var status: String? {
    copier.statistics.outage.map { "nothing copied to the database since \($0.since.ISO8601Format()): \($0.reason)" }
  }

  var readsJournal: Bool { true }

  /// Waits until the database has all records; a live run waits only briefly.
  func finish() async {
    let release = Task { [copier, isReplay] in
      if !isReplay, (try? await Task.sleep(for: Outputs.patience)) != nil { copier.stop() }
    }
    await copier.finish()
    release.cancel()
    let account = await reader.settled(copier.statistics.account, isTemporary: true)
    let losses = Account.Cause.allCases.compactMap { cause in
      account.drops[cause].map { count in
        let were = "\(counted(count, "record was", "records were")) not kept in \(name)"
        return switch cause {
        case .untimed: "\(were), because \(count == 1 ? "it" : "they") had no time"
        case .limit: "\(were), because the queue in memory was at its limit and dropped the oldest"
        default: "\(were) and \(count == 1 ? "is" : "are") lost"
        }
      }
    }
    if !losses.isEmpty { loss = losses.joined(separator: "; ") }
  }

  nonisolated func cancel() { copier.stop() }
}
