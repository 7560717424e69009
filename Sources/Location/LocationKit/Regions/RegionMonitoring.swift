/// The regions that a manager monitors, each with a unique name.
///
/// A fix does not examine every region. A region with a settled state cannot change before the receiver has travelled
/// the distance to the boundary (see ``RegionMonitor/clearance``). The distance travelled is the sum of the distances
/// from fix to fix, which is never less than the direct distance.
struct RegionMonitoring: Sendable {
  private var monitors: [RegionMonitor] = []
  /// The index of each region's monitor, by the region's name.
  private var indices: [String: Int] = [:]
  /// The value that `travelled` must reach before the monitor of the same index is examined again. It is a separate
  /// array, so that thousands of values are compared quickly.
  private var due: [LocationDistance] = []
  /// A lower bound of the metres that the receiver has travelled.
  private var travelled: LocationDistance = 0
  private var lastFix: LocationCoordinate2D?

  var isEmpty: Bool { monitors.isEmpty }
  var regions: Set<Region> { Set(monitors.map(\.region)) }

  mutating func start(_ region: Region, assuming assumption: RegionAssumption? = nil) {
    if let index = indices[region.identifier] {
      monitors[index].replace(with: region)
      due[index] = 0
    } else {
      indices[region.identifier] = monitors.count
      monitors.append(RegionMonitor(region, assuming: assumption))
      due.append(0)
    }
  }

  mutating func stop(_ region: Region) {
    guard let index = indices.removeValue(forKey: region.identifier) else { return }
    monitors.remove(at: index)
    due.remove(at: index)
    // In place, because a program that ends stops all its regions one after the other.
    var place = indices.values.startIndex
    while place < indices.values.endIndex {
      if indices.values[place] > index { indices.values[place] -= 1 }
      indices.values.formIndex(after: &place)
    }
  }

  func state(of region: Region, at location: Location?) -> RegionState {
    if let index = indices[region.identifier] { return monitors[index].state }
    guard let location, (try? region.check()) != nil else { return .unknown }
    return region.contains(location.coordinate) ? .inside : .outside
  }

  func contains(_ region: Region) -> Bool { monitors.contains { $0.region == region } }

  mutating func update(
    _ fix: Location, at now: Double, policy: RegionMonitoringPolicy, _ events: inout [LocationEngine.Event]
  ) {
    guard !monitors.isEmpty else { return }
    travel(to: fix.coordinate)
    let point = EarthPoint(fix.coordinate)
    for index in due.indices where due[index] <= travelled {
      monitors[index].update(fix, point, at: now, policy: policy, &events)
      due[index] = travelled + monitors[index].clearance
    }
  }

  private mutating func travel(to coordinate: LocationCoordinate2D) {
    defer { lastFix = coordinate }
    guard let lastFix, lastFix != coordinate else { return }
    // The micrometre exceeds the rounding error of the distance and the sum, up to the limit below.
    travelled += lastFix.distance(from: coordinate) + 1e-6
    // After a million kilometres, or after an invalid coordinate, all regions are examined at once.
    if !(travelled < 1e9) {
      travelled = 0
      for index in due.indices { due[index] = 0 }
    }
  }
}
