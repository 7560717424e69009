/// Decides which headings a program receives, by the turn since the last delivered one, and notices their absence.
struct HeadingDelivery: Sendable {
  private(set) var isUpdating = false
  private(set) var heading: Heading?
  var watch: StalenessWatch
  private var lastDelivered: Heading?
  private var isPoor = false

  init(staleAfter: Double) { watch = StalenessWatch(limit: staleAfter) }

  mutating func start(at now: Double) {
    isUpdating = true
    lastDelivered = nil
    watch = StalenessWatch(limit: watch.limit)
    watch.start(at: now)
  }

  mutating func stop() {
    isUpdating = false
    watch.stop()
  }

  /// Takes a heading. `angle` is the filter in degrees; with `nil`, zero or less, every heading passes.
  mutating func receive(_ heading: Heading, at now: Double, angle: LocationDirection?) -> [LocationEngine.Event] {
    guard isUpdating else { return [] }
    _ = watch.refresh(at: now)
    self.heading = heading
    let wasPoor = isPoor
    isPoor = (heading.headingAccuracy ?? 0) > 30
    var events: [LocationEngine.Event] = isPoor && !wasPoor ? [.calibration] : []
    if let angle, angle > 0, let turn = turn(to: heading), turn < angle { return events }
    lastDelivered = heading
    events.append(.heading(heading))
    return events
  }

  /// Returns the degrees from the last delivered heading, if both have the same kind of direction.
  private func turn(to heading: Heading) -> LocationDirection? {
    for kind in [\Heading.trueHeading, \.magneticHeading] {
      if let from = lastDelivered?[keyPath: kind], let to = heading[keyPath: kind] {
        return abs((to - from).remainder(dividingBy: 360))
      }
    }
    return nil
  }
}
