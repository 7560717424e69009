extension LocationManager {
  func beginMonitoring(_ region: CircularRegion) {
    if let error = objection(to: region) {
      deferredCalls.add { [weak self] in
        guard let self else { return }
        delegate?.locationManager(self, monitoringDidFailFor: region, withError: error)
      }
      return
    }
    if let index = regionMonitors.firstIndex(where: { $0.region.identifier == region.identifier }) {
      regionMonitors[index] = RegionMonitor(region, continuing: regionMonitors[index])
    } else {
      regionMonitors.append(RegionMonitor(region))
    }
    deferredCalls.add { [weak self] in
      guard let self else { return }
      delegate?.locationManager(self, didStartMonitoringFor: region)
    }
    begin()
  }

  func answerState(of region: CircularRegion) {
    deferredCalls.add { [weak self] in
      guard let self else { return }
      delegate?.locationManager(self, didDetermineState: state(of: region), for: region)
    }
  }

  /// Takes a fix to all regions, and then tells the delegate, who may start and stop others.
  func updateRegions(_ fix: Location, at now: Double) {
    var changes: [(region: CircularRegion, state: RegionState, isFirst: Bool)] = []
    for index in regionMonitors.indices {
      let isFirst = regionMonitors[index].state == .unknown
      if regionMonitors[index].update(fix, at: now, policy: regionMonitoringPolicy) {
        changes.append((regionMonitors[index].region, regionMonitors[index].state, isFirst))
      }
    }
    for change in changes {
      guard regionMonitors.contains(where: { $0.region == change.region }) else { continue }
      if !change.isFirst { reportCrossing(of: change.region, to: change.state) }
      delegate?.locationManager(self, didDetermineState: change.state, for: change.region)
    }
  }

  private func reportCrossing(of region: CircularRegion, to state: RegionState) {
    switch state {
    case .inside where region.notifyOnEntry: delegate?.locationManager(self, didEnterRegion: region)
    case .outside where region.notifyOnExit: delegate?.locationManager(self, didExitRegion: region)
    default: break
    }
  }

  private func state(of region: CircularRegion) -> RegionState {
    if let monitor = regionMonitors.first(where: { $0.region.identifier == region.identifier }) {
      return monitor.state
    }
    guard let location, !isLocationStale, region.center.isValid else { return .unknown }
    return region.contains(location.coordinate) ? .inside : .outside
  }

  private func objection(to region: CircularRegion) -> LocationError? {
    if !region.center.isValid {
      let (latitude, longitude) = (region.center.latitude, region.center.longitude)
      return LocationError(
        .regionMonitoringFailure,
        "region \(region.identifier): the centre \(latitude), \(longitude) is not a coordinate")
    }
    if !(region.radius > 0 && region.radius <= maximumRegionMonitoringDistance) {
      return LocationError(
        .regionMonitoringFailure,
        "region \(region.identifier): the radius \(region.radius) m is not above 0 m and at most "
          + "\(maximumRegionMonitoringDistance) m")
    }
    return nil
  }
}
