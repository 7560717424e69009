import Collecting
import Dispatch
import FoundationEssentials
import Serving
import Journal
import LocationKit
import Logging
import Writing
import Platform
import Publishing
import Rx
import RxBinding
import SystemPackage

/// The feed of `collect`: messages go from the collector to the fleet's engines, on the collector's thread, and from there
/// to the outputs.
@MainActor
final class DeviceFeed: Feed {
  private let configuration: Collector.Configuration
  private let options: CollectSettings
  private let logger: Logger
  private let readSettings: @MainActor () async throws(CommandError) -> Set<String>
  private var stream: LocationStream?
  private var page: DevicesPageOutput?
  private var metrics: MetricsRegistry?
  private var collector: Collector?
  private let counts = Fleet.Counts()
  /// The reason why the database cannot be used yet.
  private var outage: OutputOutage?
  private let bag = DisposeBag()

  /// `readSettings` reads the settings again for SIGHUP, and names the changed ones.
  init(
    _ configuration: Collector.Configuration, _ options: CollectSettings, logger: Logger,
    readSettings: @escaping @MainActor () async throws(CommandError) -> Set<String>
  ) {
    (self.configuration, self.options, self.logger, self.readSettings) = (configuration, options, logger, readSettings)
  }

  func open(_ outputs: Outputs) async throws(CommandError) {
    let output = try StandardOutput(options.format, outputs)
    outputs.add(output)
    page = try await DevicesPageOutput.open(options, outputs)
    if let page {
      outputs.add(page)
      statusChanges.startWith(())
        .bind(to: Binder(self) { feed, _ in page.show(feed.currentOutage) })
        .disposed(by: bag)
    }
    if let address = options.metrics {
      let metrics = try await MetricsOutput(at: address, outputs)
      outputs.add(metrics)
      self.metrics = metrics.registry
      metrics.registry.gauge("rxlocationd_devices", help: "Devices that have appeared.") { [counts] in
        Double(counts.devices)
      }
    }
    if let journal = options.journal { outputs.places.append("journal \(journal)") }
    stream = output.stream
  }

  func start(ready: () -> Void) async throws(CommandError) {
    guard let stream else { return }
    let opened = try await openJournal(ready)
    guard !Task.isCancelled else { return }
    let fleet = Fleet(options, stream: stream, counts: counts, show: page?.changes)
    if let opened { fleet.restore(opened) }
    do throws(Errno) {
      collector = try Collector(configuration, journal: opened?.handOver(), judge: fleet, onNotice: onNotice)
    } catch {
      throw CommandError(.unavailable, "cannot listen: \(error)")
    }
    addMetrics()
    ready()
  }

  private var onNotice: OutputNotice.Handler {
    { [logger] in logger.log(level: $0.severity.level, "\($0.message)") }
  }

  func stop() async {
    guard let collector else { return }
    let unwritten = await collector.finish()
    logger.info("\(summary ?? "")")
    if unwritten == 0 { return }
    let crossings = counted(unwritten, "crossing is", "crossings are")
    logger.notice("\(crossings) not in the journal; the broker has the messages, and the next start finds them again")
  }

  func reload(_ outputs: Outputs) async throws(CommandError) -> Set<String> { try await readSettings() }

  /// Opens the journal on its own thread, because a server may hang. Waits for a database that is away. Returns `nil`
  /// without a journal, and when the run ends meanwhile.
  private func openJournal(_ ready: () -> Void) async throws(CommandError) -> CollectedJournal? {
    guard let place = options.journal else { return nil }
    let (options, judge) = (options, configuration.session.clientID)
    var retry = Retry<JournalError.Reason, Date>(minimum: 1, maximum: 30)
    while !Task.isCancelled {
      do {
        let result = try await Thread.result {
          Result { () throws(JournalError) in try CollectedJournal(place, options, judge: judge) }
        }
        let opened = try result.get()
        outage = nil
        for notice in opened.notices { logger.warning("\(notice)") }
        return opened
      } catch let error as JournalError {
        guard error.reason == .unavailable else { throw CommandError(error, isInput: false) }
        let (wait, isNews) = retry.fail(error.reason, at: Date.now)
        if isNews {
          logger.warning("\(error.message); retrying, and messages wait at the broker meanwhile")
          outage = OutputOutage(reason: error.message, since: Date.now)
          ready()
        }
        try? await Task.sleep(for: .seconds(wait))
      } catch {
        if !Task.isCancelled { throw CommandError(.unavailable, "cannot open \(place): \(error)") }
      }
    }
    return nil
  }

  var loss: String? {
    guard let place = options.journal, collector?.statistics.account.hasFailed == true else { return nil }
    return "journal \(place): records may be lost, because another program removed or changed its files"
  }

  // MARK: Counts

  private var count: String { counted(counts.devices, "device") }

  var summary: String? {
    let statistics = collector?.statistics ?? Collector.Statistics()
    return
      "\(count), \(counted(statistics.locations, "location")) of \(counted(statistics.messages, "message")), "
      + "\(counts.late) late, \(statistics.ahead) ahead, \(statistics.refusals) refused"
  }

  private var currentOutage: OutputOutage? { outage ?? collector?.statistics.outage }

  var status: String {
    if let outage { return "no database since \(outage.since.ISO8601Format()): \(outage.reason)" }
    guard let outage = collector?.statistics.outage else { return "listening; \(count)" }
    return "nothing is received since \(outage.since.ISO8601Format()): \(outage.reason); \(count)"
  }

  var statusChanges: Observable<Void> {
    Observable<Int>.interval(.seconds(2), scheduler: MainScheduler.instance).map { _ in }
  }

  private func addMetrics() {
    guard let registry = metrics, let collector else { return }
    registry.gauge("rxlocationd_collect_connected", help: "1 while there is a session with the broker.") {
      collector.statistics.isConnected ? 1 : 0
    }
    registry.addCounters(
      of: { collector.statistics },
      ("collect_messages", "Messages received, including repetitions.", { $0.messages }),
      ("collect_locations", "Locations among them.", { $0.locations }),
      ("collect_committed", "Records that were committed to the journal.", { $0.committed }),
      ("collect_ahead", "Locations with a time in the future.", { $0.ahead }),
      ("collect_refused", "Messages without usable content.", { $0.refusals }))
    registry.addLosses(of: "journal") { collector.statistics.account }
  }
}
