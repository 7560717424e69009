import FoundationEssentials
public import LocationKit
import Platform
internal import Replay

/// Locations, headings and satellite counts from gpsd, for as long as the source has listeners.
///
/// The source reads on its own thread, which sleeps while nothing arrives, and delivers on the main actor in order. It
/// never gives up. When gpsd is missing, goes away or is another program, the source tries again after 250 ms, then
/// half as long again and so on up to 15 s, and reports the outage once.
///
/// gpsd's reports become:
/// - TPV with mode 2 or 3 and a position → `.location`, at once; `EpochMerger` has the rule for epochs that gpsd
///   reports in parts, `LocationDraft` the rule for each member. `isSimulatedBySoftware` is gpsd's own statement
///   (`status` 8): gpsd cannot know that a recording is played to it as if live.
/// - TPV with a lower mode → `.noFix`.
/// - SKY with satellites → `.satellites`, and the counts of that device's next locations; only the counts are read
///   unless a listener wants the satellites.
/// - ATT with a heading → `.heading`, if a listener wants it; a course never becomes a heading.
/// - the connection and the devices → `.status`. gpsd does not report that a receiver has fallen silent;
///   `LocationManager`'s `staleAfter` does.
///
/// When gpsd has several receivers and the endpoint names none, the source follows one of them for as long as it has a
/// fix. When that receiver has lost its fix, or has been silent for half of the listeners' `staleAfter`, the source
/// follows the best of the others: three-dimensional before two-dimensional, then the better horizontal accuracy. A
/// receiver counts as silent while its fixes are less accurate than the `accuracyFilter` of every listener.
@MainActor
public final class GPSDSource: LocationSource {
  /// Which gpsd this follows, and which of its devices.
  public let endpoint: GPSDEndpoint

  /// The host's monotonic clock, which stands still while an event is passed on.
  public let clock: any LocationClock

  /// `.notDetermined` until the first connection attempt; `.denied` while the system refuses it (EACCES, EPERM).
  public private(set) var authorizationStatus = AuthorizationStatus.notDetermined

  /// The state of the source.
  public private(set) var status = LocationSourceStatus.idle

  /// Receives lines for a log: one for each change of state, more at `debug`. Called on the main actor, in order with
  /// the events.
  public var onLog: (@MainActor (GPSDLogLevel, String) -> Void)?

  /// Receives the lines of a record of everything that this source is given: gpsd's own lines and the changes of the
  /// connection, each as `gpspipe -w -uu` writes it, with its line feed. `GPSDRecording` plays them. Set it before the
  /// first receiver attaches. Called on the main actor, before the events.
  public var onRecord: (@MainActor ([UInt8]) -> Void)?

  /// The date before which dates are impossible, for the record. Set it with `onRecord`.
  package var notBefore: Date? { didSet { recorder.notBefore = notBefore } }

  private let configuration: GPSDConfiguration
  private let host: Host
  private let connector: @Sendable (Wakeup) -> sending any GPSDConnector
  private let ownClock: SourceClock?
  private var reception = GPSDReception()
  private var recorder = GPSDRecorder()
  /// The reading thread's mailbox and the wake-up that ends it; `nil` while there is no thread.
  private var reading: (mailbox: MainActorMailbox<GPSDReport>, wakeup: Wakeup)?
  private lazy var hub = LocationSourceHub(
    start: { [weak self] in self?.start() }, stop: { [weak self] in self?.stop() })

  /// Creates a source that is idle until a receiver attaches. `clock` replaces the host's.
  public convenience init(
    endpoint: GPSDEndpoint = GPSDEndpoint(),
    configuration: GPSDConfiguration = GPSDConfiguration(),
    clock: (any LocationClock)? = nil
  ) {
    self.init(endpoint: endpoint, configuration: configuration, clock: clock, host: .system) {
      GPSDSocketConnector(
        connector: Connector(to: endpoint.server, within: configuration.connectTimeout, wakeup: $0), wakeup: $0)
    }
  }

  init(
    endpoint: GPSDEndpoint, configuration: GPSDConfiguration, clock: (any LocationClock)?, host: Host,
    connector: @escaping @Sendable (Wakeup) -> sending any GPSDConnector
  ) {
    (self.endpoint, self.configuration) = (endpoint, configuration)
    (self.host, self.connector) = (host, connector)
    self.clock = clock ?? SourceClock(host)
    ownClock = self.clock as? SourceClock
    ownClock?.onSilence = { [weak self] in self?.record(.connection(.silent), at: self?.ownClock?.past) }
  }

  isolated deinit { endReading() }

  /// Ends the record; the source goes on.
  public func endRecord() {
    if reading != nil { record(.connection(.stopped), at: ownClock?.past) }
    onRecord = nil
  }

  /// Adds a receiver; the first one starts the reading thread.
  public func attach(_ receiver: any LocationSourceReceiver) { hub.attach(receiver) }

  /// Removes a receiver; the last one ends the reading thread at any point, without waiting for it.
  public func detach(_ receiver: any LocationSourceReceiver) { hub.detach(receiver) }

  private func start() {
    do {
      let wakeup = try Wakeup()
      let mailbox = MainActorMailbox<GPSDReport> { [weak self] in self?.receive($0, from: wakeup) }
      try host.run(
        Loop(
          GPSDClient(
            endpoint: endpoint, configuration: configuration, isRecorded: onRecord != nil, wakeup: wakeup,
            connector: connector(wakeup), host: host, interests: { [hub] in hub.interests },
            deliver: { mailbox.deliver($0) },
            retry: Retry(minimum: configuration.minimumRetryDelay, maximum: configuration.maximumRetryDelay))))
      ownClock?.start()
      reading = (mailbox, wakeup)
      let start = GPSDReport.connection(.started(endpoint))
      record(start, at: ownClock?.past)
      _ = reception.receive(start, at: clock.now, for: limits)
    } catch {
      hub.send(.failed(LocationError(.network, "no thread or descriptor to follow gpsd with: \(error)")))
    }
  }

  private func stop() {
    if reading != nil { record(.connection(.stopped), at: ownClock?.past) }
    endReading()
    status = .idle
  }

  /// The thread is not joined, because it may be looking up a name. Its later reports are dropped.
  private func endReading() {
    reading?.wakeup.signal()
    reading?.mailbox.close()
    reading = nil
  }

  /// Passes on the reports of the thread that `wakeup` ends.
  private func receive(_ reports: [GPSDReport], from wakeup: Wakeup) {
    guard let ownClock else { return passOn(reports, from: wakeup) }
    ownClock.pass { passOn(reports, from: wakeup) }
  }

  private func passOn(_ reports: [GPSDReport], from wakeup: Wakeup) {
    for report in reports {
      // A receiver may end the reading in the middle of a batch.
      guard wakeup === reading?.wakeup else { return }
      record(report)
      authorizationStatus = report.authorization ?? authorizationStatus
      let (events, messages) = reception.receive(report, at: clock.now, for: limits)
      for event in events {
        guard wakeup === reading?.wakeup else { return }
        if case .status(let status) = event { self.status = status }
        hub.send(event)
      }
      for (level, text) in messages { onLog?(level, text) }
    }
  }

  private var limits: GPSDReception.Limits {
    GPSDReception.Limits(staleAfter: hub.staleAfter, accuracyFilter: hub.accuracyFilter)
  }

  private func record(_ report: GPSDReport, at time: Double? = nil) {
    guard let onRecord else { return }
    let now = time ?? clock.now
    for line in recorder.lines(report, at: now, date(at: now)) { onRecord(line) }
  }

  /// The time of day at a time of the source's clock, which may be past. The host's two clocks are read again if the
  /// thread was interrupted in between.
  private func date(at time: Double) -> Date {
    var (seconds, date) = (host.seconds(), host.date())
    for _ in 0..<100 where host.seconds() - seconds > 0.001 { (seconds, date) = (host.seconds(), host.date()) }
    return date - (ownClock?.age(of: time, at: seconds) ?? 0)
  }
}

/// The levels of a `GPSDSource`'s messages, named as in swift-log.
public enum GPSDLogLevel: String, Sendable, Hashable, CaseIterable {
  /// Useful for finding a fault.
  case debug
  /// The source changed state as expected.
  case info
  /// The connection was lost; the source is connecting again.
  case notice
  /// The source cannot continue without help.
  case warning
}
