/// The regions that a manager watches. A name stands for one region.
///
/// A region is looked at when it can have changed, and not with each fix: one whose state is settled cannot before the
/// receiver has travelled as far as the boundary was from it (see ``RegionMonitor/clearance``). What the receiver has
/// travelled is the sum of the ways from fix to fix, which is never less than the way from the first to the last of them.
struct RegionMonitoring {
  /// What a fix has changed for a region.
  struct Change: Equatable {
    let region: CircularRegion
    let kind: Kind

    enum Kind: Equatable {
      case state(RegionState, RegionMonitor.Change)
      case failure(LocationError)
    }
  }

  /// What it takes to believe a crossing.
  var policy = RegionMonitoringPolicy()
  private var monitors: [RegionMonitor] = []
  /// What `travelled` must have come to before the monitor of the same index is looked at again. It is not a member of
  /// the monitor, so that thousands of them are compared quickly.
  private var due: [LocationDistance] = []
  /// Metres that the receiver has travelled at least.
  private var travelled: LocationDistance = 0
  private var lastFix: LocationCoordinate2D?

  var isEmpty: Bool { monitors.isEmpty }
  var regions: Set<CircularRegion> { Set(monitors.map(\.region)) }

  /// Watches a region, in place of one of the same name.
  mutating func start(_ region: CircularRegion, assuming assumption: RegionAssumption? = nil) {
    if let index = index(of: region) {
      monitors[index] = RegionMonitor(region, continuing: monitors[index])
      due[index] = 0
    } else {
      monitors.append(RegionMonitor(region, assuming: assumption))
      due.append(0)
    }
  }

  /// Forgets the region of that name.
  mutating func stop(_ region: CircularRegion) {
    guard let index = index(of: region) else { return }
    monitors.remove(at: index)
    due.remove(at: index)
  }

  /// The state of the region of that name; one that is not watched is judged by `location`.
  func state(of region: CircularRegion, at location: Location?) -> RegionState {
    if let index = index(of: region) { return monitors[index].state }
    guard let location, region.center.isValid else { return .unknown }
    return region.contains(location.coordinate) ? .inside : .outside
  }

  /// Whether exactly this region is watched.
  func contains(_ region: CircularRegion) -> Bool {
    monitors.contains { $0.region == region }
  }

  /// Takes a fix at `now` on the source's clock.
  mutating func update(_ fix: Location, at now: Double) -> [Change] {
    guard !monitors.isEmpty else { return [] }
    travel(to: fix.coordinate)
    var changes: [Change] = []
    let point = EarthPoint(fix.coordinate)
    for index in due.indices where due[index] <= travelled {
      look(at: index, fix, point, now, &changes)
      due[index] = travelled + monitors[index].clearance
    }
    return changes
  }

  private mutating func look(
    at index: Int, _ fix: Location, _ point: EarthPoint, _ now: Double, _ changes: inout [Change]
  ) {
    let region = monitors[index].region
    if let error = monitors[index].judgeAccuracy(of: fix, at: now, policy: policy) {
      changes.append(Change(region: region, kind: .failure(error)))
    }
    if let change = monitors[index].update(fix, point, at: now, policy: policy) {
      changes.append(Change(region: region, kind: .state(monitors[index].state, change)))
    }
  }

  /// Counts the way from the last fix.
  private mutating func travel(to coordinate: LocationCoordinate2D) {
    defer { lastFix = coordinate }
    guard let lastFix, lastFix != coordinate else { return }
    // A micrometre is more than what this distance and this sum can be too small by, up to the limit below.
    travelled += lastFix.distance(from: coordinate) + 1e-6
    // After a million kilometres, or from a place that is none, all are looked at once.
    if !(travelled < 1e9) {
      travelled = 0
      for index in due.indices { due[index] = 0 }
    }
  }

  private func index(of region: CircularRegion) -> Int? {
    monitors.firstIndex { $0.region.identifier == region.identifier }
  }
}

extension RegionMonitoring.Change {
  /// Calls the manager's delegate.
  @MainActor
  func report(by manager: LocationManager) {
    switch kind {
    case .failure(let error):
      manager.delegate?.locationManager(manager, monitoringDidFailFor: region, withError: error)
    case .state(let state, let change):
      if change == .crossed && state == .inside && region.notifyOnEntry {
        manager.delegate?.locationManager(manager, didEnterRegion: region)
      }
      if change == .crossed && state == .outside && region.notifyOnExit {
        manager.delegate?.locationManager(manager, didExitRegion: region)
      }
      manager.delegate?.locationManager(manager, didDetermineState: state, for: region)
    }
  }
}
