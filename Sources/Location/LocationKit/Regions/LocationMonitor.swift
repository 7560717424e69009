/// Watches conditions, each under a name, and reports when they become satisfied or cease to be: Core Location's
/// `CLMonitor`, on the main actor.
///
///     let monitor = LocationMonitor("fences", source: source)
///     monitor.add(.init(center: home, radius: 100), identifier: "home", assuming: .unsatisfied)
///     for await event in monitor.events {
///       print(event.identifier, event.state)
///     }
///
/// The monitor runs its source while it has conditions. It keeps nothing when the process ends: add the conditions
/// again, and say with `assuming:` what you know of them. What it takes to believe that a boundary was crossed is
/// ``regionMonitoringPolicy``.
///
/// | `CLMonitor` | here |
/// | --- | --- |
/// | `CLMonitor(_:)` | ``init(_:source:)`` |
/// | `name`, `identifiers`, `record(for:)`, `events` | the same |
/// | `add(_:identifier:)`, `add(_:identifier:assuming:)`, `remove(_:)` | the same |
/// | `CircularGeographicCondition` | the same, without a limit of 20 |
/// | `BeaconIdentityCondition`, `refinement` | none |
/// | an event's `conditionUnsupported`, `authorizationDenied` | the same, and its `error` says why |
/// | other diagnostics of an event | none: they are a telephone's |
@MainActor
public final class LocationMonitor {
  /// The name that was given.
  public let name: String

  /// What it takes to believe that the boundary of a condition was crossed. Not Core Location's.
  public var regionMonitoringPolicy: RegionMonitoringPolicy {
    get { manager.regionMonitoringPolicy }
    set { manager.regionMonitoringPolicy = newValue }
  }

  private let manager: LocationManager
  private let delegate = MonitorDelegate()
  private var records: [String: Record] = [:]
  private var readers: [Int: AsyncStream<Event>.Continuation] = [:]
  private var nextReader = 0
  /// Events that came before anybody read, the last one of each condition.
  private var unread: [Event] = []
  private var hasEnded = false

  /// Creates a monitor without conditions. The name is for a person; two monitors may have the same.
  public init(_ name: String, source: any LocationSource) {
    self.name = name
    manager = LocationManager(source: source)
    delegate.monitor = self
    manager.delegate = delegate
  }

  isolated deinit {
    for reader in readers.values { reader.finish() }
  }

  /// The names of the conditions, in alphabetical order.
  public var identifiers: [String] { records.keys.sorted() }

  /// Watches a condition, in place of one of the same name. An event follows as soon as its state is known, unless that
  /// is `state`.
  ///
  /// A condition that is not a circle on the earth is kept and not watched: an event says so at once.
  public func add(
    _ condition: CircularGeographicCondition, identifier: String, assuming state: Event.State = .unknown
  ) {
    remove(identifier)
    records[identifier] = Record(condition: condition, lastEvent: Event(identifier: identifier, state: state))
    let region = condition.region(identifier)
    do {
      try region.check()
      manager.startMonitoring(for: region)
    } catch {
      report(Event(identifier: identifier, state: .unmonitored, conditionUnsupported: true, error: error))
    }
  }

  /// Watches the condition of that name no longer; does nothing when there is none.
  public func remove(_ identifier: String) {
    guard let record = records.removeValue(forKey: identifier) else { return }
    unread.removeAll { $0.identifier == identifier }
    manager.stopMonitoring(for: record.condition.region(identifier))
  }

  /// The condition of that name and its last event; `nil` when there is none.
  public func record(for identifier: String) -> Record? {
    records[identifier]
  }

  /// The changes of the conditions' states, from now on. The first who asks gets those that nobody has read yet, too: the
  /// last one of each condition.
  ///
  /// Each use of this property is a sequence of its own, for one reader, and keeps what its reader has not read yet. It
  /// ends with a recording and with the monitor.
  public var events: AsyncStream<Event> {
    let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
    for event in unread { continuation.yield(event) }
    unread = []
    guard !hasEnded else {
      continuation.finish()
      return stream
    }
    let reader = nextReader
    nextReader += 1
    readers[reader] = continuation
    continuation.onTermination = { [weak self] _ in
      Task { @MainActor in self?.readers[reader] = nil }
    }
    return stream
  }

  /// Whether somebody reads events now.
  var hasReaders: Bool { !readers.isEmpty }

  /// Notes an event, unless it changes nothing.
  private func report(_ event: Event) {
    guard let last = records[event.identifier]?.lastEvent, last.state != event.state || last.error != event.error else {
      return
    }
    records[event.identifier]?.lastEvent = event
    if !hasReaders {
      unread.removeAll { $0.identifier == event.identifier }
      unread.append(event)
    }
    for reader in readers.values { reader.yield(event) }
  }

  // MARK: What the manager reports

  fileprivate func determine(_ state: RegionState, of identifier: String) {
    report(Event(identifier: identifier, state: Event.State(state), date: manager.location?.timestamp))
  }

  /// The receiver is not accurate enough for a condition, which is watched all the same.
  fileprivate func fail(_ error: LocationError, of identifier: String) {
    guard let last = records[identifier]?.lastEvent else { return }
    report(Event(identifier: identifier, state: last.state, date: manager.location?.timestamp, error: error))
  }

  fileprivate func deny(_ error: LocationError) {
    for region in manager.monitoredRegions.sorted(by: { $0.identifier < $1.identifier }) {
      report(
        Event(identifier: region.identifier, state: .unmonitored, authorizationDenied: true, error: error))
    }
  }

  fileprivate func checkAuthorization() {
    guard !manager.authorizationStatus.isRefused else { return }
    for region in manager.monitoredRegions where records[region.identifier]?.lastEvent.authorizationDenied == true {
      manager.requestState(for: region)
    }
  }

  fileprivate func end() {
    hasEnded = true
    for reader in readers.values { reader.finish() }
    readers = [:]
  }
}

/// The delegate of a monitor's manager, so that the monitor itself need not be one in public.
@MainActor
private final class MonitorDelegate: LocationManagerDelegate {
  weak var monitor: LocationMonitor?

  func locationManager(
    _ manager: LocationManager, didDetermineState state: RegionState, for region: CircularRegion
  ) {
    monitor?.determine(state, of: region.identifier)
  }

  func locationManager(
    _ manager: LocationManager, monitoringDidFailFor region: CircularRegion?, withError error: LocationError
  ) {
    if let region { monitor?.fail(error, of: region.identifier) }
  }

  func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
    if error.code == .denied { monitor?.deny(error) }
  }

  func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
    monitor?.checkAuthorization()
  }

  func locationManagerDidReachEndOfRecording(_ manager: LocationManager) {
    monitor?.end()
  }
}
