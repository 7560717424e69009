import FoundationEssentials
import HTTP
import Journal
import LocationKit
import Output
import Publishing
import Rx
import RxBinding
import SystemPackage

/// The publisher and what it reads: the journal under a reader's name of its own.
@MainActor
final class PublishingOutput: DaemonOutput {
  private(set) var loss: String?
  private let publisher: Publisher
  private let reader: JournalReader
  private let address: PublishingAddress
  /// Whether what is not delivered is lost at the end, because the journal is a temporary one.
  private let isTemporary: Bool
  private let isReplay: Bool
  /// What commands do to fences.
  private let changes: FenceChanges
  private let onNotice: OutputNotice.Handler
  private let bag = DisposeBag()

  /// The name under which the journal remembers how far the publisher has come.
  private static let readerName = "publish"

  private init(
    _ publisher: Publisher, _ reader: JournalReader, _ address: PublishingAddress, isTemporary: Bool,
    _ changes: FenceChanges, _ outputs: Outputs
  ) {
    (self.publisher, self.reader, self.address) = (publisher, reader, address)
    (self.isTemporary, isReplay) = (isTemporary, outputs.isReplay)
    (self.changes, onNotice) = (changes, outputs.onNotice)
  }

  /// Starts to publish what the journal gets from now on, or where the last run ended.
  static func open(_ outputs: Outputs) throws(CommandError) -> PublishingOutput? {
    let settings = outputs.settings
    let configuration = outputs.isReplay ? settings.publishing.replayConfiguration : settings.publishing.configuration
    guard var configuration, let output = outputs.output(JournalOutput.self) else { return nil }
    configuration.isTemporary = output.isTemporary
    do throws(SettingError) {
      configuration.card = try settings.publishing.card()
    } catch {
      throw CommandError(.configuration, error.description)
    }
    let reader: JournalReader
    do throws(JournalError) {
      reader = try JournalReader(path: output.journal.path, name: readerName, startingAt: .newest)
    } catch {
      throw CommandError(error, isInput: false)
    }
    let address = configuration.address
    let changes = FenceChanges()
    let publisher: Publisher
    do throws(Errno) {
      publisher = try Publisher(
        configuration, queue: reader, fences: settings.watch.fences,
        onFences: { [mailbox = changes.mailbox] in mailbox.send($0) }, onNotice: outputs.onNotice)
    } catch {
      throw CommandError(.cannotCreate, "cannot publish to \(address): \(error)")
    }
    output.journal.onCommit { _ in publisher.wake() }
    return PublishingOutput(
      publisher, reader, address, isTemporary: output.isTemporary, changes, outputs)
  }

  func bind(to pipeline: Pipeline) {
    // The first ones are those of the settings, which the publisher has.
    pipeline.fences.skip(1)
      .bind(to: Binder(self) { output, fences in output.publisher.setFences(fences) })
      .disposed(by: bag)
    changes.relay
      .bind(
        to: Binder(self) { [weak pipeline] output, changes in
          guard let count = pipeline?.change(changes) else { return }
          output.onNotice(OutputNotice(.notice, "fences were changed by a command: \(count) are watched now"))
        }
      )
      .disposed(by: bag)
  }

  func addMetrics(to registry: MetricsRegistry) {
    let read = { @Sendable [publisher] in publisher.statistics }
    registry.gauge(
      "rxlocationd_publish_connected",
      help: "1 while there is a session with the broker, or the server takes what it is sent, else 0."
    ) {
      read().isConnected ? 1 : 0
    }
    registry.gauge("rxlocationd_publish_queue_rows", help: "Records of the journal that wait to be taken.") {
      Double(read().waiting)
    }
    registry.gauge(
      "rxlocationd_publish_oldest_unsent_timestamp_seconds", help: "The fix's time of the oldest record that waits."
    ) { read().oldestWaiting?.timeIntervalSince1970 }
    registry.counter("rxlocationd_publish_sent_total", help: "Messages that were sent, repetitions included.") {
      Double(read().sent)
    }
    registry.counter(
      "rxlocationd_publish_acknowledged_total", help: "Messages that the broker or the server has acknowledged."
    ) {
      Double(read().acknowledged)
    }
    registry.counter("rxlocationd_publish_refused_total", help: "Messages that the broker or the server has refused.") {
      Double(read().refused)
    }
    registry.counter(
      "rxlocationd_publish_unpublishable_total", help: "Records that are not published, because they have no time."
    ) { Double(read().unpublishable) }
    registry.counter("rxlocationd_publish_reconnections_total", help: "Sessions beyond the first.") {
      Double(read().reconnections)
    }
    registry.gauge(
      "rxlocationd_publish_last_acknowledgement_timestamp_seconds", help: "When a message was acknowledged last."
    ) { read().lastAcknowledgement?.timeIntervalSince1970 }
  }

  var summary: String? {
    let statistics = publisher.statistics
    return "\(statistics.acknowledged) messages published, \(statistics.waiting) records wait for the \(address.peer), "
      + "\(statistics.reconnections) reconnections"
      + (statistics.refused > 0 ? ", \(statistics.refused) messages refused" : "")
      + (statistics.unpublishable > 0 ? ", \(statistics.unpublishable) without a time not published" : "")
  }

  var status: String? {
    let statistics = publisher.statistics
    return (statistics.isConnected ? "publishing" : "no \(address.peer)")
      + (statistics.waiting > 0 ? ", \(statistics.waiting) waiting" : "")
      + (statistics.unpublishable > 0 ? ", \(statistics.unpublishable) without a time" : "")
  }

  /// Waits until everything is acknowledged; a live run waits only for a moment.
  func finish() async {
    let publisher = publisher
    await withTaskGroup { group in
      if !isReplay {
        group.addTask {
          if (try? await Task.sleep(for: Outputs.patience)) != nil { publisher.stop() }
        }
      }
      await publisher.finish()
      group.cancelAll()
    }
    var losses: [String] = []
    let leftOut = publisher.statistics.leftOut
    if leftOut > 0 { losses.append("\(leftOut) messages were refused by \(address) and left out") }
    if isTemporary, case let waiting = await waiting(), waiting > 0 {
      losses.append(
        "\(waiting) records were not delivered to \(address) and are lost; with a journal they would wait for the next "
          + "start")
    }
    if !losses.isEmpty { loss = losses.joined(separator: "; ") }
  }

  /// What the journal holds that was not delivered. The publisher's thread is not asked, for it may hang, and the file is
  /// not read on the main actor.
  @concurrent
  private nonisolated func waiting() async -> Int {
    (try? reader.waiting().count) ?? publisher.statistics.waiting
  }

  nonisolated func cancel() {
    changes.mailbox.close()
    publisher.stop()
  }
}

/// What commands do to fences, on its way from the publisher's thread to the main actor.
private struct FenceChanges {
  let relay: PublishRelay<[FenceChange]>
  let mailbox: MainActorMailbox<FenceChange>

  init() {
    let relay = PublishRelay<[FenceChange]>()
    self.relay = relay
    mailbox = MainActorMailbox { relay.accept($0) }
  }
}
