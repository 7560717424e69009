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
final class PublishingOutput: ReceiverOutput {
  private(set) var loss: String?
  private let destinations: [PublishingDestination]
  /// Whether undelivered records are lost at the end, because the journal is temporary.
  private let isTemporary: Bool
  private let isReplay: Bool
  private let changes: FenceChanges
  private let onNotice: OutputNotice.Handler
  private let bag = DisposeBag()

  private init(
    _ destinations: [PublishingDestination], isTemporary: Bool, _ changes: FenceChanges, _ outputs: Outputs
  ) {
    (self.destinations, self.isTemporary, isReplay) = (destinations, isTemporary, outputs.isReplay)
    (self.changes, onNotice) = (changes, outputs.onNotice)
  }

  static func privacy(_ settings: Settings) -> [PrivacyRule] { settings.privacy.publish }

  /// Starts publishing new records of the journal, or continues where the last run ended.
  static func open(_ outputs: Outputs, _ settings: Settings) throws(CommandError) -> PublishingOutput? {
    var configurations =
      outputs.isReplay ? settings.publishing.replayConfigurations : settings.publishing.configurations
    guard !configurations.isEmpty, let output = outputs.output(JournalOutput.self) else { return nil }
    let card: DeviceCard?
    do throws(SettingError) {
      card = try settings.publishing.card()
    } catch {
      throw CommandError(.configuration, error.description)
    }
    let policy = try settings.policy(privacy(settings))
    for index in configurations.indices {
      configurations[index].privacy = policy
      if configurations[index].session.address.peer == .broker { configurations[index].card = card }
    }
    let changes = FenceChanges()
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
          onFences: { [mailbox = changes.mailbox] in mailbox.send($0) }, onNotice: outputs.onNotice)
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
    return PublishingOutput(destinations, isTemporary: output.isTemporary, changes, outputs)
  }

  func bind(to pipeline: PipelineView) {
    // The first fences are those of the settings, which the publishers already have.
    pipeline.fences.skip(1)
      .bind(
        to: Binder(self) { output, fences in
          for destination in output.destinations { destination.publisher.setFences(fences.map(\.circle)) }
        }
      )
      .disposed(by: bag)
    changes.relay
      .bind(
        to: Binder(self) { output, changes in
          guard let count = pipeline.change(changes) else {
            output.onNotice(
              OutputNotice(
                .warning, "a command for more than \(Pipeline.fenceLimit) fences is refused; no fence has changed"))
            return
          }
          output.onNotice(
            OutputNotice(.notice, "fences were changed by a command: \(counted(count, "is", "are")) watched now"))
        }
      )
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

  /// Joins a text of each destination, with its address if there are several.
  private func text(_ part: (PublishingDestination) -> String) -> String {
    guard destinations.count > 1 else { return destinations.map(part).joined() }
    return destinations.map { "\($0.address): \(part($0))" }.joined(separator: "; ")
  }

  var readsJournal: Bool { true }

  /// Waits until every destination has acknowledged all records; a live run waits only briefly.
  func finish() async {
    await withTaskGroup { [destinations, isReplay] group in
      if !isReplay {
        group.addTask {
          guard (try? await Task.sleep(for: Outputs.patience)) != nil else { return }
          for destination in destinations { destination.publisher.stop() }
        }
      }
      await withTaskGroup { publishers in
        for destination in destinations { publishers.addTask { await destination.publisher.finish() } }
      }
      group.cancelAll()
    }
    var losses: [String] = []
    for destination in destinations { losses += await destination.losses(isTemporary: isTemporary) }
    if !losses.isEmpty { loss = losses.joined(separator: "; ") }
  }

  nonisolated func cancel() {
    changes.mailbox.close()
    for destination in destinations { destination.publisher.stop() }
  }
}

/// Passes fence changes of commands from the publishers' threads to the main actor.
private struct FenceChanges {
  let relay: PublishRelay<[FenceChange]>
  let mailbox: MainActorMailbox<FenceChange>

  init() {
    let relay = PublishRelay<[FenceChange]>()
    self.relay = relay
    mailbox = MainActorMailbox { relay.accept($0) }
  }
}
