import Devices
import Dispatch
import FoundationEssentials
import HTTP
import Journal
import LocationKit
import Logging
import Output
import Platform
import Publishing
import Rx
import RxBinding
import RxLocation
import SystemPackage

/// The feed of `collect`: messages go from the collector to the devices' managers, and from there to the outputs.
@MainActor
final class DeviceFeed: Feed {
  private let configuration: Collector.Configuration
  private let options: CollectOptions
  private let logger: Logger
  private let readSettings: @MainActor () async throws(CommandError) -> Set<String>
  private let devices: Devices
  private let host: Host
  /// The last crossings of an earlier run, by device and fence.
  private var lastCrossings: [String: [CircularRegion: RegionCrossing]] = [:]
  /// While the last minute of an earlier run is judged again: the time of its location, and the crossings found.
  private var replay: (time: Date?, crossings: [CircularRegion: RegionCrossing])?
  private var stream: LocationStream?
  private var page: DevicesPageOutput?
  private var metrics: MetricsRegistry?
  var collector: Collector? { didSet { for record in pendingCrossings { collector?.keep(record) } } }
  /// Crossings that were found before the collector existed.
  private var pendingCrossings: [DeviceRecord] = []
  private let start: Date
  /// The reason why the database cannot be used yet.
  private var outage: OutputOutage?
  private let bag = DisposeBag()
  /// Delivers the collector's messages to the main actor.
  private lazy var mailbox = MainActorMailbox<Collector.Message> { [weak self] batch in self?.receive(batch) }

  /// `readSettings` reads the settings again for SIGHUP, and names the changed ones.
  init(
    _ configuration: Collector.Configuration, _ options: CollectOptions, logger: Logger, host: Host = .system,
    devices: Devices = Devices(),
    readSettings: @escaping @MainActor () async throws(CommandError) -> Set<String>
  ) {
    (self.configuration, self.options, self.logger, self.readSettings) = (configuration, options, logger, readSettings)
    (self.host, self.devices, start) = (host, devices, host.date())
    devices.staleAfter = options.staleAfter
  }

  func open(_ outputs: Outputs) async throws(CommandError) {
    let output = try StandardOutput(options.format, outputs)
    outputs.add(output)
    page = try await DevicesPageOutput.open(options, outputs)
    if let page { outputs.add(page) }
    if let address = options.metrics {
      let metrics = try await MetricsOutput(at: address, outputs)
      outputs.add(metrics)
      self.metrics = metrics.registry
    }
    if let journal = options.journal { outputs.places.append("journal \(journal)") }
    bind(to: output.stream)
  }

  func start(ready: () -> Void) async throws(CommandError) {
    let journal = try await openJournal(ready)
    guard !Task.isCancelled else { return }
    do throws(Errno) {
      collector = try Collector(
        configuration, journal: journal, host: host, onNotice: onNotice, onMessages: onMessages)
    } catch {
      throw CommandError(.unavailable, "cannot listen: \(error)")
    }
    addMetrics()
    ready()
  }

  var onNotice: OutputNotice.Handler { { [logger] in logger.log(level: $0.severity.level, "\($0.message)") } }

  /// Takes batches of messages. With fences, a batch is judged before it is written, so that its crossings are in the
  /// same transaction. Without fences, the main actor prints and shows the batch while it is written.
  var onMessages: @Sendable ([Collector.Message]) -> Void {
    let isJudge = !options.fences.isEmpty
    return { [mailbox] in _ = isJudge ? mailbox.deliver($0) : mailbox.send($0) }
  }

  func stop() async {
    guard let collector else { return }
    let unwritten = await collector.finish()
    // The journal may have records that are not printed yet.
    mailbox.deliverWaiting()
    logger.info("\(summary ?? "")")
    if unwritten == 0 { return }
    let crossings = counted(unwritten, "crossing is", "crossings are")
    logger.notice("\(crossings) not in the journal; the broker has the messages, and the next start finds them again")
  }

  func reload(_ outputs: Outputs) async throws(CommandError) -> Set<String> { try await readSettings() }

  // MARK: Input

  /// Handles the collector's messages before they are stored.
  private func receive(_ messages: [Collector.Message]) {
    for message in messages where !message.isAhead {
      switch message.content {
      case .location(let location): devices.receive(location)
      case .transition(let crossing): devices.receive(crossing)
      case .card(let name): page?.show(name: name, of: message.device)
      case .other: break
      }
      if let battery = message.battery { page?.show(battery: battery, of: message.device) }
    }
  }

  /// Opens the journal on its own thread, because a server may hang, and restores its state. Waits for a database that
  /// is away. Returns `nil` when the run ends meanwhile.
  private func openJournal(_ ready: () -> Void) async throws(CommandError) -> sending (any DeviceJournal)? {
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
        restore(opened)
        return opened.handOver()
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

  /// Restores the devices of an earlier run at their last locations. Devices that were entering or leaving a fence
  /// continue, and crossings that happened while no judge was running are reported.
  func restore(_ opened: CollectedJournal) {
    for crossing in opened.crossings {
      guard let device = crossing.location.sourceInformation?.deviceIdentifier else { continue }
      lastCrossings[device, default: [:]][crossing.region] = crossing
    }
    var current: String?
    for location in opened.locations {
      let name = location.sourceInformation?.deviceIdentifier
      if name != current { endReplay(of: current) }
      current = name
      replay = (location.timestamp, replay?.crossings ?? [:])
      if let device = name.flatMap({ devices.all[$0] }) { watchFences(of: device) }
      devices.receive(location)
    }
    endReplay(of: current)
    lastCrossings = [:]
  }

  /// Reports the crossings of the last minute. Earlier ones were judged when their locations were stored; the first
  /// location that was read may belong to a short stay, which is no crossing.
  private func endReplay(of name: String?) {
    let last = replay
    replay = nil
    guard let name, let device = devices.all[name] else { return }
    watchFences(of: device)
    for (fence, crossing) in last?.crossings ?? [:] where crossing.state != lastCrossings[name]?[fence]?.state {
      let (time, newest) = (crossing.location.timestamp ?? .distantFuture, last?.time ?? .distantPast)
      if time >= newest - CollectedJournal.judgedAgain { report(crossing) }
    }
  }

  // MARK: Output

  /// Binds the streams of all devices to the outputs.
  func bind(to stream: LocationStream) {
    self.stream = stream
    devices.rx.didAppear
      .subscribe(onNext: { [unowned self] device in
        watchFences(of: device)
        device.startUpdatingLocation()
      })
      .disposed(by: bag)
    let locations = devices.rx.didAppear.flatMap { $0.rx.didUpdateLocations }.share()
    let errors = devices.rx.didAppear.flatMap { $0.rx.didFailWithError }.share()
    page?.bind(locations: locations, errors: errors).disposed(by: bag)
    locations.filter { [unowned self] _ in replay == nil }.bind(to: stream.rx.locations).disposed(by: bag)
    // Without fences the stream sends nothing, but would still cost memory for each device.
    if !options.fences.isEmpty {
      devices.rx.didAppear
        .flatMap { $0.rx.didCrossRegion }
        .subscribe(onNext: { [unowned self] crossing in
          if replay == nil { report(crossing) } else { replay?.crossings[crossing.region] = crossing }
        })
        .disposed(by: bag)
    }
    devices.rx.didReceiveCrossing.bind(to: stream.rx.crossing).disposed(by: bag)
    if let page { devices.rx.didReceiveCrossing.subscribe(onNext: { page.show($0) }).disposed(by: bag) }
    if let page, !options.fences.isEmpty {
      devices.rx.didAppear
        .flatMap { device in
          let name = device.identifier
          return device.rx.didDetermineState.map { (name, $0.state, $0.region.identifier) }
        }
        .subscribe(onNext: { page.show($1, of: $2, for: $0) })
        .disposed(by: bag)
    }
    if let count = metrics?.gauge("rxlocationd_devices", help: "Devices that have appeared.") {
      count.value = 0
      devices.rx.didAppear.subscribe(onNext: { _ in count.value = (count.value ?? 0) + 1 }).disposed(by: bag)
    }
    errors.filter { [unowned self] in isNews($0) }.bind(to: stream.rx.error).disposed(by: bag)
  }

  private func report(_ crossing: RegionCrossing) {
    stream?.write(crossing)
    let record = DeviceRecord(.crossing(crossing), received: host.date())
    if let collector { collector.keep(record) } else { pendingCrossings.append(record) }
  }

  /// Watches all unwatched fences, starting from their state in an earlier run. While old locations are judged again, a
  /// fence with a later crossing is only watched from the time of that crossing.
  private func watchFences(of device: Device) {
    guard !options.fences.isEmpty else { return }
    let (known, watched) = (lastCrossings[device.identifier] ?? [:], device.monitoredRegions)
    for fence in options.fences where !watched.contains(fence) {
      let crossing = known[fence]
      if let now = replay?.time, let time = crossing?.location.timestamp, time > now { continue }
      device.startMonitoring(for: fence, assuming: crossing?.state ?? .unknown)
      if let crossing { page?.show(crossing) }
    }
  }

  /// Whether a loss of the fix belongs to this run. Devices that have been silent since an earlier run are known
  /// already.
  private func isNews(_ error: LocationError) -> Bool {
    guard let device = error.deviceIdentifier.flatMap({ devices.all[$0] }), let time = device.location?.timestamp
    else { return true }
    return time > start - options.staleAfter
  }

  var loss: String? {
    guard let place = options.journal, let account = collector?.statistics.account, !account.isSettled
    else { return nil }
    return "journal \(place): \(account.notDelivered("kept")), because another program removed its log"
  }

  // MARK: Counts

  private var count: String { counted(devices.all.count, "device") }

  var summary: String? {
    let statistics = collector?.statistics ?? Collector.Statistics()
    return
      "\(count), \(counted(statistics.locations, "location")) of \(counted(statistics.messages, "message")), "
      + "\(devices.lateCount) late, \(statistics.ahead) ahead, \(statistics.refusals) refused"
  }

  var status: String {
    if let outage { return "no database since \(outage.since.ISO8601Format()): \(outage.reason)" }
    guard let outage = collector?.statistics.outage else { return "listening; \(count)" }
    return "nothing is received since \(outage.since.ISO8601Format()): \(outage.reason); \(count)"
  }

  var statusChanges: Observable<Void> {
    Observable<Int>.interval(.seconds(2), scheduler: MainScheduler.instance).map { _ in }
  }

  /// Adds the collector's counts to the metrics.
  private func addMetrics() {
    guard let registry = metrics, let collector else { return }
    registry.gauge("rxlocationd_collect_connected", help: "1 while there is a session with the broker.") {
      collector.statistics.isConnected ? 1 : 0
    }
    let counts: [(name: String, help: String, count: @Sendable (Collector.Statistics) -> Int)] = [
      ("messages", "Messages received, including repetitions.", { $0.messages }),
      ("locations", "Locations among them.", { $0.locations }),
      ("committed", "Records that were committed to the journal.", { $0.committed }),
      ("ahead", "Locations with a time in the future.", { $0.ahead }),
      ("refused", "Messages without usable content.", { $0.refusals }),
    ]
    for (name, help, count) in counts {
      registry.counter("rxlocationd_collect_\(name)_total", help: help) { Double(count(collector.statistics)) }
    }
    registry.addLosses(of: "journal") { collector.statistics.account }
  }
}
