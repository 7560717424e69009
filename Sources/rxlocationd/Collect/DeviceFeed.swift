import Collecting
import Dispatch
import FoundationEssentials
import Journal
import LocationKit
import Logging
import Platform
import Publishing
import Rx
import RxBinding
import Serving
import Synchronization
import SystemPackage
import Writing

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

  init(
    _ configuration: Collector.Configuration, _ options: CollectSettings, logger: Logger,
    readSettings: @escaping @MainActor () async throws(CommandError) -> Set<String>
  ) {
    (self.configuration, self.options, self.logger, self.readSettings) = (configuration, options, logger, readSettings)
  }

  func open(_ outputs: Outputs) async throws(CommandError) {
    let output = try StandardOutput(options.format, outputs)
    outputs.add(output)
    page = try await DevicesPageOutput(options, outputs)
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
      collector = try Collector(configuration, journal: opened?.handOver(), judge: fleet, onNotice: logger.onNotice)
    } catch {
      throw CommandError(.unavailable, "cannot listen: \(error)")
    }
    addMetrics()
    ready()
  }

  func stop() async {
    guard let collector else { return }
    let unwritten = await collector.finish()
    logger.info("\(summary ?? "")")
    if unwritten == 0 { return }
    let crossings = counted(unwritten, "crossing is", "crossings are")
    logger.notice("\(crossings) not in the journal; the broker has the messages, and the next start finds them again")
  }

  func reload() async throws(CommandError) -> Set<String> { try await readSettings() }

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
    return "\(count), \(counted(statistics.locations, "location")) of \(counted(statistics.messages, "message")), "
      + "\(counts.late) late, \(statistics.ahead) ahead, \(statistics.refusals) refused"
  }

  private var currentOutage: OutputOutage? { outage ?? collector?.statistics.outage }

  var status: String {
    if let outage { return "no database since \(outage.since.ISO8601Format()): \(outage.reason)" }
    let statistics = collector?.statistics ?? Collector.Statistics()
    guard let outage = statistics.outage else {
      return "\(statistics.isConnected ? "listening" : "connecting"); \(count)"
    }
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

/// An open journal of many devices, with the state of earlier runs.
final class CollectedJournal: Sendable {
  /// The seconds before its newest location in which a device may have been entering or leaving a fence.
  static let judgedAgain = 3 * RegionMonitoringPolicy().dwell

  /// The locations of each device that are needed to continue, ordered by time: its newest, and with fences those
  /// shortly before it and a few before these.
  let locations: [Location]
  let crossings: [RegionCrossing]
  let notices: [String]
  private let journal: Mutex<(any DeviceJournal)?>

  /// Opens the journal; may wait for a server or a large file. `judge` names this program in a database when it judges fences.
  convenience init(_ place: JournalPlace, _ options: CollectSettings, judge: String) throws(JournalError) {
    switch place {
    case .file(let path):
      try self.init(DeviceJournalFile(path: path, limit: options.journalBound.limit), options)
    case .database(let url):
      let database = try options.database.journal(at: url)
      database.days = options.journalBound.days
      if !options.fences.isEmpty { database.judge = judge }
      // Create the tables now rather than with the first message.
      try database.commit([])
      try self.init(database, options)
    }
  }

  init(_ journal: sending any DeviceJournal, _ options: CollectSettings) throws(JournalError) {
    notices = journal.takeNotices().map { "\(journal.name) \($0)" }
    let newest = try journal.newestLocations()
    if options.fences.isEmpty {
      (locations, crossings) = (newest, [])
    } else {
      // A few earlier locations tell on which side of a fence the device was.
      let recent = try journal.recentLocations(within: Self.judgedAgain)
      let found = Set(recent.map(\.sourceInformation?.deviceIdentifier))
      locations = recent + newest.filter { !found.contains($0.sourceInformation?.deviceIdentifier) }
      crossings = try journal.lastCrossings()
    }
    self.journal = Mutex(journal)
  }

  /// Hands the journal over to one thread; `nil` the second time.
  func handOver() -> sending (any DeviceJournal)? { journal.withLock { $0.take() } }
}
