/// The regions that a manager watches. A name stands for one region.
struct RegionMonitoring {
  /// What a fix has changed for a region.
  struct Change {
    let region: CircularRegion
    fileprivate let kind: Kind

    fileprivate enum Kind {
      case state(RegionState, RegionMonitor.Change)
      case failure(LocationError)
    }
  }

  /// What it takes to believe a crossing.
  var policy = RegionMonitoringPolicy()
  private var monitors: [RegionMonitor] = []

  var isEmpty: Bool { monitors.isEmpty }
  var regions: Set<CircularRegion> { Set(monitors.map(\.region)) }

  /// Watches a region, in place of one of the same name.
  mutating func start(_ region: CircularRegion, assuming assumption: RegionAssumption? = nil) {
    if let index = index(of: region) {
      monitors[index] = RegionMonitor(region, continuing: monitors[index])
    } else {
      monitors.append(RegionMonitor(region, assuming: assumption))
    }
  }

  /// Forgets the region of that name.
  mutating func stop(_ region: CircularRegion) {
    monitors.removeAll { $0.region.identifier == region.identifier }
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
    var changes: [Change] = []
    for index in monitors.indices {
      let region = monitors[index].region
      if let error = monitors[index].judgeAccuracy(of: fix, at: now, policy: policy) {
        changes.append(Change(region: region, kind: .failure(error)))
      }
      if let change = monitors[index].update(fix, at: now, policy: policy) {
        changes.append(Change(region: region, kind: .state(monitors[index].state, change)))
      }
    }
    return changes
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
