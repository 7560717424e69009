/// Decides which headings the delegate gets: by the turn since the last delivered one. Notices when they cease.
@MainActor
final class HeadingDelivery {
  /// Degrees; `nil`, zero and less let every heading pass.
  var angle: LocationDirection? = 1
  /// Whether headings are asked for.
  private(set) var isUpdating = false
  /// The last heading that was received.
  private(set) var heading: Heading?
  private var lastDelivered: Heading?
  private var isPoor = false
  private let clock: any LocationClock
  /// There while headings are asked for.
  private var watch: StalenessWatch?

  init(clock: any LocationClock, staleAfter: Double) {
    self.clock = clock
    self.staleAfter = staleAfter
  }

  /// Seconds without a heading that count as a loss.
  var staleAfter: Double {
    didSet { watch?.limit = staleAfter }
  }

  /// Takes one sentence that says why there is no heading, once for each loss.
  var onLoss: (@MainActor (String) -> Void)?

  /// Begins: the next heading passes.
  func start() {
    isUpdating = true
    lastDelivered = nil
    let watch = StalenessWatch(for: "heading", clock: clock, limit: staleAfter)
    watch.onStale = onLoss
    watch.start()
    self.watch = watch
  }

  /// Ends.
  func stop() {
    isUpdating = false
    watch = nil
  }

  /// Expects no heading until the next one comes: the recording has ended.
  func pause() {
    watch?.stop()
  }

  /// Takes a heading at `now` on the source's clock, and calls the manager's delegate.
  func receive(_ heading: Heading, at now: Double, for manager: LocationManager) {
    guard isUpdating else { return }
    _ = watch?.refresh(at: now)
    let (delivers, becomesPoor) = update(heading)
    if becomesPoor { _ = manager.delegate?.locationManagerShouldDisplayHeadingCalibration(manager) }
    if delivers { manager.delegate?.locationManager(manager, didUpdateHeading: heading) }
  }

  /// Whether to deliver a heading, and whether the compass has just become poor.
  private func update(_ heading: Heading) -> (delivers: Bool, becomesPoor: Bool) {
    self.heading = heading
    let wasPoor = isPoor
    isPoor = (heading.headingAccuracy ?? 0) > 30
    let isNear = if let angle, angle > 0, let turn = turn(to: heading) { turn < angle } else { false }
    if !isNear { lastDelivered = heading }
    return (!isNear, isPoor && !wasPoor)
  }

  /// Degrees from the last delivered heading, when both have the same kind of direction.
  private func turn(to heading: Heading) -> LocationDirection? {
    guard let lastDelivered else { return nil }
    if let from = lastDelivered.trueHeading, let to = heading.trueHeading {
      return abs((to - from).remainder(dividingBy: 360))
    }
    if let from = lastDelivered.magneticHeading, let to = heading.magneticHeading {
      return abs((to - from).remainder(dividingBy: 360))
    }
    return nil
  }
}
