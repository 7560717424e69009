/// Monitors named conditions and reports when they become satisfied or unsatisfied: Core Location's `CLMonitor`, on the
/// main actor.
///
///     let monitor = LocationMonitor("fences", source: source)
///     monitor.add(.init(center: home, radius: 100), identifier: "home", assuming: .unsatisfied)
///     for await event in monitor.events {
///       print(event.identifier, event.state)
///     }
///
/// The monitor runs its source while it has conditions. It stores nothing beyond the process: add the conditions again,
/// and pass their known states as `assuming:`. ``regionMonitoringPolicy`` decides when a boundary counts as crossed.
///
/// | `CLMonitor` | here |
/// | --- | --- |
/// | `CLMonitor(_:)` | ``init(_:source:)`` |
/// | `name`, `identifiers`, `record(for:)`, `events` | the same |
/// | `add(_:identifier:)`, `add(_:identifier:assuming:)`, `remove(_:)` | the same |
/// | `CircularGeographicCondition` | the same, without a limit of 20 |
/// | `BeaconIdentityCondition`, `refinement` | not available |
/// | an event's `conditionUnsupported`, `authorizationDenied` | the same; its `error` gives the reason |
/// | other diagnostics of an event | not available: they concern phones |
@MainActor
public final class LocationMonitor {
  /// The name given to the monitor.
  public let name: String

  /// The conditions for a boundary to count as crossed. Not Core Location's.
  public var regionMonitoringPolicy: RegionMonitoringPolicy {
    get { manager.regionMonitoringPolicy }
    set { manager.regionMonitoringPolicy = newValue }
  }

  private let manager: LocationManager
  private let delegate = ManagerDelegate()
  private var records: [String: Record] = [:]
  private var readers: [Int: AsyncStream<Event>.Continuation] = [:]
  private var nextReader = 0
  /// The events before the first reader, the last one of each condition.
  private var unread: [Event] = []
  private var hasEnded = false

  /// Creates a monitor without conditions. The name is only informative and need not be unique.
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

  /// Monitors a condition, and replaces one of the same name. An event follows as soon as the state is known, unless it
  /// equals `state`.
  ///
  /// A condition that is not a circle on the earth is kept but not monitored; an event reports that at once.
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

  /// Stops monitoring the condition of this name, if there is one.
  public func remove(_ identifier: String) {
    guard let record = records.removeValue(forKey: identifier) else { return }
    unread.removeAll { $0.identifier == identifier }
    manager.stopMonitoring(for: record.condition.region(identifier))
  }

  /// Returns the condition of this name and its last event; `nil` for an unknown name.
  public func record(for identifier: String) -> Record? { records[identifier] }

  /// The changes of state from now on. The first reader also receives the last unread event of each condition.
  ///
  /// Each use of this property creates a sequence for one reader, which buffers unread events. It ends with the
  /// recording and with the monitor.
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

  var hasReaders: Bool { !readers.isEmpty }

  /// Stores and sends an event, unless it changes nothing.
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

  /// The delegate of the manager. It keeps the delegate's methods out of the monitor's public interface.
  @MainActor
  private final class ManagerDelegate: LocationManagerDelegate {
    weak var monitor: LocationMonitor?

    func locationManager(_ manager: LocationManager, didDetermineState state: RegionState, for region: Region) {
      monitor?.report(
        Event(identifier: region.identifier, state: Event.State(state), date: manager.location?.timestamp))
    }

    // The receiver is too inaccurate for a condition, which is monitored nevertheless.
    func locationManager(
      _ manager: LocationManager, monitoringDidFailFor region: Region?, withError error: LocationError
    ) {
      guard let region, let last = monitor?.records[region.identifier]?.lastEvent else { return }
      monitor?.report(
        Event(identifier: region.identifier, state: last.state, date: manager.location?.timestamp, error: error))
    }

    func locationManager(_ manager: LocationManager, didFailWithError error: LocationError) {
      guard error.code == .denied else { return }
      for identifier in manager.monitoredRegions.map(\.identifier).sorted() {
        monitor?.report(Event(identifier: identifier, state: .unmonitored, authorizationDenied: true, error: error))
      }
    }

    func locationManagerDidChangeAuthorization(_ manager: LocationManager) {
      guard let monitor, !manager.authorizationStatus.isRefused else { return }
      for region in manager.monitoredRegions
      where monitor.records[region.identifier]?.lastEvent.authorizationDenied == true {
        manager.requestState(for: region)
      }
    }

    func locationManagerDidReachEndOfRecording(_ manager: LocationManager) {
      guard let monitor else { return }
      monitor.hasEnded = true
      for reader in monitor.readers.values { reader.finish() }
      monitor.readers = [:]
    }
  }
}
