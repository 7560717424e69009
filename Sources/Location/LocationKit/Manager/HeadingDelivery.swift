/// Decides which headings the delegate receives, by the turn since the last delivered one, and reports their absence.
@MainActor
final class HeadingDelivery {
  /// Degrees; with `nil`, zero or less, every heading passes.
  var angle: LocationDirection?
  private(set) var isUpdating = false
  private(set) var heading: Heading?
  private var lastDelivered: Heading?
  private var isPoor = false
  private let clock: any LocationClock
  private var watch: StalenessWatch?

  init(clock: any LocationClock, angle: LocationDirection?, staleAfter: Double) {
    (self.clock, self.angle, self.staleAfter) = (clock, angle, staleAfter)
  }

  /// The seconds without a heading that count as a loss.
  var staleAfter: Double { didSet { watch?.limit = staleAfter } }

  /// Called once for each loss, with a sentence that gives its reason.
  var onLoss: (@MainActor (String) -> Void)?

  func start() {
    isUpdating = true
    lastDelivered = nil
    let watch = StalenessWatch(for: "heading", clock: clock, limit: staleAfter)
    watch.onStale = onLoss
    watch.start()
    self.watch = watch
  }

  func stop() {
    isUpdating = false
    watch = nil
  }

  /// Stops waiting for headings until the next one arrives, because the recording has ended.
  func pause() { watch?.stop() }

  /// Takes a heading at `now` on the source's clock, and calls the manager's delegate.
  func receive(_ heading: Heading, at now: Double, for manager: LocationManager) {
    guard isUpdating else { return }
    _ = watch?.refresh(at: now)
    self.heading = heading
    let wasPoor = isPoor
    isPoor = (heading.headingAccuracy ?? 0) > 30
    let isNear = if let angle, angle > 0, let turn = turn(to: heading) { turn < angle } else { false }
    if !isNear { lastDelivered = heading }
    if isPoor && !wasPoor { _ = manager.delegate?.locationManagerShouldDisplayHeadingCalibration(manager) }
    if !isNear { manager.delegate?.locationManager(manager, didUpdateHeading: heading) }
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
