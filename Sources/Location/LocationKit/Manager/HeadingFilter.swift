/// Decides which headings are delivered: by the turn since the last delivered one.
struct HeadingFilter {
  /// Degrees; `nil`, zero and less let every heading pass.
  var angle: LocationDirection?
  private var lastDelivered: Heading?

  init(angle: LocationDirection?) {
    self.angle = angle
  }

  /// Forgets the last delivered heading, so that the next one passes.
  mutating func reset() {
    lastDelivered = nil
  }

  /// Takes a heading; returns whether to deliver it.
  mutating func update(_ heading: Heading) -> Bool {
    if let angle, angle > 0, let turn = turn(to: heading), turn < angle { return false }
    lastDelivered = heading
    return true
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
