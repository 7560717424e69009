import FoundationEssentials
import Glibc
import Journal
import LocationKit
import Platform
import Publishing
import Rx
import RxBinding
import Serving
import SystemPackage
import Writing

@MainActor
final class PublishingOutput: ReceiverOutput {
  private(set) var loss: String?
  private let destinations: [PublishingDestination]
  /// Whether undelivered records are lost at the end, because the journal is temporary.
  private let isTemporary: Bool
  private let isReplay: Bool
  /// The fence changes of commands, which the mailbox passes from the publishers' threads to the main actor.
  private let changes: PublishRelay<[FenceChange]>
  private let mailbox: MainActorMailbox<FenceChange>
  private let onNotice: OutputNotice.Handler
  private let bag = DisposeBag()

  static func privacy(_ settings: Settings) -> [PrivacyRule] { settings.privacy.publish }

  init?(_ outputs: Outputs, _ settings: Settings) throws(CommandError) {
    var configurations = settings.publishing.configurations
    guard !configurations.isEmpty, let output = outputs.output(JournalOutput.self) else { return nil }
    let card: DeviceCard?
    do throws(SettingError) {
      card = try settings.publishing.card()
    } catch {
      throw CommandError(.configuration, error.description)
    }
    let policy = try settings.policy(Self.privacy(settings))
    for index in configurations.indices {
      // Two clients with one identifier disconnect each other, and the service may run beside a replay.
      if outputs.isReplay, settings.publishing.session.clientID == nil {
        configurations[index].session.clientID += "-replay-\(getpid())"
      }
      configurations[index].privacy = policy
      if configurations[index].session.address.peer == .broker { configurations[index].card = card }
    }
    let changes = PublishRelay<[FenceChange]>()
    let mailbox = MainActorMailbox<FenceChange> { changes.accept($0) }
    var destinations: [PublishingDestination] = []
    let names = PublishingDestination.readerNames(configurations.map(\.session.address))
    for (configuration, name) in zip(configurations, names) {
      let reader: any JournalQueue
      do throws(JournalError) {
        reader = try output.journal.reader(named: name)
      } catch {
        throw CommandError(error, isInput: false)
      }
      let publisher: Publisher
      do throws(Errno) {
        publisher = try Publisher(
          configuration, queue: reader, fences: settings.watch.fences.map(\.circle),
          onFences: { mailbox.send($0) }, onNotice: outputs.onNotice)
      } catch {
        throw CommandError(.systemError, "cannot publish to \(configuration.session.address): \(error)")
      }
      destinations.append(
        PublishingDestination(publisher: publisher, reader: reader, address: configuration.session.address))
    }
    output.journal.onCommit { [destinations] _ in
      for destination in destinations { destination.publisher.wake() }
    }
    outputs.places += destinations.map { "publishing to \($0.address)" }
    (self.destinations, isTemporary, isReplay) = (destinations, output.isTemporary, outputs.isReplay)
    (self.changes, self.mailbox, onNotice) = (changes, mailbox, outputs.onNotice)
  }

  func bind(to pipeline: PipelineView) {
    // The first fences are those of the settings, which the publishers already have.
    pipeline.fences.skip(1)
      .bindOnMain(with: self) { output, fences in
        for destination in output.destinations { destination.publisher.setFences(fences.map(\.circle)) }
      }
      .disposed(by: bag)
    changes
      .bindOnMain(with: self) { output, changes in
        guard let count = pipeline.change(changes) else {
          output.onNotice(
            OutputNotice(
              .warning, "a command for more than \(Pipeline.fenceLimit) fences is refused; no fence has changed"))
          return
        }
        output.onNotice(
          OutputNotice(.notice, "fences were changed by a command: \(counted(count, "is", "are")) watched now"))
      }
      .disposed(by: bag)
  }

  func addMetrics(to registry: MetricsRegistry) {
    for destination in destinations {
      var labels: KeyValuePairs = ["output": destination.address.description]
      if destinations.count == 1, destination.address.peer == .broker { labels = [:] }
      destination.addMetrics(to: registry, labels: labels)
    }
  }

  var summary: String? { text(\.summary) }
  var status: String? { text(\.status) }

  private func text(_ part: (PublishingDestination) -> String) -> String {
    guard destinations.count > 1 else { return destinations.map(part).joined() }
    return destinations.map { "\($0.address): \(part($0))" }.joined(separator: "; ")
  }

  var readsJournal: Bool { true }

  /// Waits until every destination has acknowledged all records; a live run waits only briefly.
  func finish() async {
    let release = Task { [destinations, isReplay] in
      guard !isReplay, (try? await Task.sleep(for: Outputs.patience)) != nil else { return }
      for destination in destinations { destination.publisher.stop() }
    }
    await withTaskGroup { [destinations] group in
      for destination in destinations { group.addTask { await destination.publisher.finish() } }
    }
    release.cancel()
    var losses: [String] = []
    for destination in destinations { losses += await destination.losses(isTemporary: isTemporary) }
    if !losses.isEmpty { loss = losses.joined(separator: "; ") }
  }

  nonisolated func cancel() {
    mailbox.close()
    for destination in destinations { destination.publisher.stop() }
  }
}

/// A broker or server with its publisher, which reads the journal under its own reader's name.
struct PublishingDestination: Sendable {
  let publisher: Publisher
  let reader: any JournalQueue
  let address: PublishingAddress

  /// The names under which the journal stores the position of each address.
  ///
  /// The first broker is called "publish", whatever its address, so that its waiting records follow when it moves. All others are
  /// named by host and port, so that their order does not matter and removing one does not lose another's waiting records.
  static func readerNames(_ addresses: [PublishingAddress]) -> [String] {
    var names: [String] = []
    for address in addresses {
      if address.peer == .broker, !names.contains("publish") {
        names.append("publish")
        continue
      }
      let name = "publish \(address.server)"
      let others = names.count { $0 == name || $0.hasPrefix(name + " ") }
      names.append(others == 0 ? name : "\(name) \(others + 1)")
    }
    return names
  }

  func addMetrics(to registry: MetricsRegistry, labels: KeyValuePairs<String, String>) {
    let gauges: [(name: String, help: String, value: @Sendable (Publisher.Statistics) -> Double?)] = [
      ("connected", "1 while there is a session with the broker or the server, else 0.", { $0.isConnected ? 1 : 0 }),
      ("queue_rows", "Records of the journal that wait for their acknowledgement.", { Double($0.waiting) }),
      (
        "oldest_unsent_timestamp_seconds", "The time of the oldest waiting record.",
        { $0.oldestWaiting?.timeIntervalSince1970 }
      ),
      (
        "last_acknowledgement_timestamp_seconds", "The time of the last acknowledgement.",
        { $0.lastAcknowledgement?.timeIntervalSince1970 }
      ),
    ]
    for (name, help, value) in gauges {
      registry.gauge("rxlocationd_publish_\(name)", help: help, labels: labels) { [publisher] in
        value(publisher.statistics)
      }
    }
    registry.addCounters(
      of: { [publisher] in publisher.statistics }, labels: labels,
      ("publish_sent", "Messages sent, including repetitions.", { $0.sent }),
      ("publish_acknowledged", "Messages that were acknowledged.", { $0.acknowledged }),
      ("publish_refused", "Messages that were refused.", { $0.refused }),
      ("publish_unpublishable", "Records that are not published, because they have no time.", { $0.unpublishable }),
      ("publish_reconnections", "Sessions after the first.", { $0.reconnections }))
    registry.addLosses(of: address.description) { [publisher] in publisher.statistics.account }
  }

  var summary: String {
    let statistics = publisher.statistics
    var parts = [
      "\(counted(statistics.acknowledged, "message")) published",
      "\(counted(statistics.waiting, "record waits", "records wait")) for the \(address.peer)",
      counted(statistics.reconnections, "reconnection"),
    ]
    if statistics.refused > 0 { parts.append("\(counted(statistics.refused, "message")) refused") }
    if statistics.unpublishable > 0 { parts.append("\(statistics.unpublishable) without a time not published") }
    if let count = statistics.account.drops[.limit] { parts.append("\(count) dropped by the journal's limit") }
    return parts.joined(separator: ", ")
  }

  var status: String {
    let statistics = publisher.statistics
    return (statistics.isConnected ? "publishing" : "no \(address.peer)")
      + (statistics.waiting > 0 ? ", \(statistics.waiting) waiting" : "")
      + (statistics.unpublishable > 0 ? ", \(statistics.unpublishable) without a time" : "")
  }

  /// The lost records, once the publisher has finished; `isTemporary` when the journal is deleted at the end of the process.
  func losses(isTemporary: Bool) async -> [String] {
    let account = await reader.settled(publisher.statistics.account, isTemporary: isTemporary)
    return Account.Cause.allCases.compactMap { cause in
      guard let count = account.drops[cause] else { return nil }
      let were = counted(count, "record was", "records were")
      switch cause {
      case .refused: return "\(counted(count, "message was", "messages were")) refused by \(address) and skipped"
      case .limit:
        return "\(were) not delivered to \(address), because the journal was at its limit and dropped the oldest"
      case .untimed: return "\(were) not published to \(address), because \(count == 1 ? "it" : "they") had no time"
      default:
        return "\(were) not delivered to \(address) and \(count == 1 ? "is" : "are") lost; with a journal "
          + "\(count == 1 ? "it" : "they") would wait for the next start"
      }
    }
  }
}

extension JournalQueue {
  /// A reader's account at the end, updated with the journal's rows because the reader's thread may hang. Waiting rows are
  /// left for the next run, or lost with a temporary journal. Does not read the file on the main actor.
  @concurrent
  func settled(_ account: Account, isTemporary: Bool) async -> Account {
    var account = account
    if let rest = try? waiting() {
      let gone = Int(max(0, rest.gone - cursor))
      account.accept(rest.count + gone - account.waiting)
      account.drop(gone, .limit)
    }
    if isTemporary { account.drop(account.waiting, .end) } else { account.giveBack(account.waiting) }
    return account
  }
}
