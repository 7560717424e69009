import Collecting
import FoundationEssentials
import Journal
import LocationKit
import Writing
import Platform
import Publishing
import Synchronization

/// The devices of `collect`, each with an engine, on the collector's thread. The events of the engines go to standard
/// output, to the page and into the journal.
///
/// The time of an engine is that of the fix while a fix is received, and the host's otherwise. So a fence's dwell is
/// measured by the device's clock when a device sends the fixes that it kept while it was offline, and a fix that is old
/// on arrival is stale at once.
final class Fleet: DeviceJudge {
  /// Counts for any thread.
  final class Counts: Sendable {
    fileprivate let deviceCount = Atomic(0)
    fileprivate let lateCount = Atomic(0)

    var devices: Int { deviceCount.load(ordering: .relaxed) }
    /// Locations that were older than the newest one of their device, or repeated it.
    var late: Int { lateCount.load(ordering: .relaxed) }
  }

  enum Change: Sendable {
    case location(Location)
    case loss
    case side(RegionState, fence: String)
    case name(String)
    case battery(Int)
  }

  private final class Device {
    let name: String
    var engine: LocationEngine

    init(_ name: String, staleAfter: Double) { (self.name, engine) = (name, LocationEngine(staleAfter: staleAfter)) }
  }

  /// While the last minute of an earlier run is judged again: the time of its location, and the crossings found.
  private struct Replay {
    var time: Date?
    var crossings: [CircularRegion: RegionCrossing] = [:]
  }

  private let counts: Counts
  private let fences: [Region]
  private let staleAfter: Double
  private let host: Host
  private let start: Date
  private var writer: LocationWriter
  private let show: (@Sendable ([(device: String, change: Change)]) -> Void)?
  private var devices: [String: Device] = [:]
  /// A time in whole seconds at which the first engine's deadline has come, at the earliest.
  private var due = Double.infinity
  private var records: [DeviceRecord] = []
  private var changes: [(device: String, change: Change)] = []
  private var lastCrossings: [String: [CircularRegion: RegionCrossing]] = [:]
  private var replay: Replay?

  init(
    _ options: CollectSettings, host: Host = .system, stream: LocationStream, counts: Counts,
    show: (@Sendable ([(device: String, change: Change)]) -> Void)?
  ) {
    (fences, staleAfter, self.host, start) = (options.fences, options.staleAfter, host, host.date())
    writer = stream.makeWriter()
    (self.counts, self.show) = (counts, show)
  }

  // MARK: The collector's thread

  func receive(_ messages: [Collector.Message]) {
    for message in messages {
      if let record = message.record {
        switch record.record {
        // The journal has the newest location already. An older program may have given it another number.
        case .location(let location) where !record.isAhead: if receive(location) { records.append(record) }
        default: records.append(record)
        }
      }
      guard !message.isAhead else { continue }
      if case .crossing(let crossing) = message.record?.record {
        _ = device(message.device, at: crossing.location.timestamp)
        writer.write(crossing)
        note(.side(crossing.state, fence: crossing.region.identifier), of: message.device)
      }
      if let name = message.name { note(.name(name), of: message.device) }
      if let battery = message.battery { note(.battery(battery), of: message.device) }
    }
  }

  func advance() -> Double {
    let now = host.date().timeIntervalSinceReferenceDate
    if now >= due {
      let late = devices.values.filter { $0.engine.deadline <= now }
        .sorted { ($0.engine.deadline, $0.name) < ($1.engine.deadline, $1.name) }
      for device in late { apply(device.engine.advance(to: now), of: device) }
      due = (devices.values.lazy.map(\.engine.deadline).min() ?? .infinity).rounded(.up)
    }
    if let show, !changes.isEmpty {
      show(changes)
      changes = []
    }
    return host.seconds() + max(0, due - now)
  }

  func takeRecords() -> [DeviceRecord] {
    defer { records = [] }
    return records
  }

  // MARK: Devices

  /// Takes a location. Returns whether it is another one than the newest of its device.
  private func receive(_ location: Location) -> Bool {
    guard let name = location.sourceInformation?.deviceIdentifier, let time = location.timestamp,
      location.coordinate.isValid
    else { return true }
    let device = device(name, at: time)
    let newest = device.engine.location
    let isRepeated = location == newest
    guard !isRepeated, time >= newest?.timestamp ?? time else {
      counts.lateCount.add(1, ordering: .relaxed)
      return !isRepeated
    }
    let events = device.engine.receive(.location(location), at: time.timeIntervalSinceReferenceDate)
    apply(events, of: device)
    due = min(due, device.engine.deadline.rounded(.up))
    return true
  }

  private func device(_ name: String, at time: Date?) -> Device {
    if let device = devices[name] { return device }
    let device = Device(name, staleAfter: staleAfter)
    devices[name] = device
    counts.deviceCount.add(1, ordering: .relaxed)
    let now = seconds(time)
    watchFences(of: device, at: now)
    // The engine waits for its first fix from this time on, so an old fix is stale at once.
    device.engine.startUpdatingLocation(at: now)
    due = min(due, device.engine.deadline.rounded(.up))
    return device
  }

  private func seconds(_ time: Date?) -> Double { (time ?? host.date()).timeIntervalSinceReferenceDate }

  private func apply(_ events: [LocationEngine.Event], of device: Device) {
    for event in events {
      switch event {
      case .locations(let locations):
        for location in locations {
          if replay == nil { writer.write(location) }
          note(.location(location), of: device.name)
        }
      case .failure(let error):
        if isNews(device) { writer.write(error) }
        note(.loss, of: device.name)
      case .region(let fence, let state, let isCrossed):
        if isCrossed, let location = device.engine.location { report(RegionCrossing(fence, state, at: location)) }
        note(.side(state, fence: fence.identifier), of: device.name)
      default: break
      }
    }
  }

  /// Whether a loss of the fix belongs to this run. Devices that have been silent since an earlier run are known already.
  private func isNews(_ device: Device) -> Bool {
    device.engine.location?.timestamp.map { $0 > start - staleAfter } ?? true
  }

  private func report(_ crossing: RegionCrossing) {
    guard replay == nil else {
      replay?.crossings[crossing.region.circle] = crossing
      return
    }
    writer.write(crossing)
    records.append(DeviceRecord(.crossing(crossing), received: host.date()))
  }

  private func note(_ change: Change, of device: String) {
    if show != nil { changes.append((device, change)) }
  }

  // MARK: An earlier run

  /// Restores the devices of an earlier run at their last locations. Devices that were entering or leaving a fence
  /// continue, and crossings that happened while no judge was running are reported.
  func restore(_ opened: CollectedJournal) {
    for crossing in opened.crossings {
      guard let device = crossing.location.sourceInformation?.deviceIdentifier else { continue }
      lastCrossings[device, default: [:]][crossing.region.circle] = crossing
    }
    var current: String?
    for location in opened.locations {
      let name = location.sourceInformation?.deviceIdentifier
      if name != current { endReplay(of: current) }
      current = name
      replay = Replay(time: location.timestamp, crossings: replay?.crossings ?? [:])
      if let device = name.flatMap({ devices[$0] }) { watchFences(of: device, at: seconds(location.timestamp)) }
      _ = receive(location)
    }
    endReplay(of: current)
    lastCrossings = [:]
  }

  /// Reports the crossings of the last minute. Earlier ones were judged when their locations were stored; the first
  /// location that was read may belong to a short stay, which is no crossing.
  private func endReplay(of name: String?) {
    let last = replay
    replay = nil
    guard let name, let device = devices[name] else { return }
    watchFences(of: device, at: seconds(nil))
    for (fence, crossing) in last?.crossings ?? [:] where crossing.state != lastCrossings[name]?[fence]?.state {
      let (time, newest) = (crossing.location.timestamp ?? .distantFuture, last?.time ?? .distantPast)
      if time >= newest - CollectedJournal.judgedAgain { report(crossing) }
    }
  }

  /// Watches all unwatched fences, starting from their state in an earlier run. While old locations are judged again, a
  /// fence with a later crossing is only watched from the time of that crossing.
  private func watchFences(of device: Device, at now: Double) {
    let known = lastCrossings[device.name]
    for fence in fences where !device.engine.isMonitoring(fence) {
      let crossing = known?[fence.circle]
      if let now = replay?.time, let time = crossing?.location.timestamp, time > now { continue }
      device.engine.startMonitoring(for: fence, assuming: crossing?.state ?? .unknown, at: now)
      if let crossing { note(.side(crossing.state, fence: fence.identifier), of: device.name) }
    }
  }
}
