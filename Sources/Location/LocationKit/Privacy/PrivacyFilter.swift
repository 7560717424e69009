import FoundationEssentials

/// Turns the fixes of a receiver into what a destination may know, one after the other.
///
/// A destination gets nothing from a hidden zone. It learns that the location is hidden when the receiver has been
/// inside for a fence's dwell, and gets locations again when the receiver has been outside for as long, as it would of a
/// crossing. That also applies to the first locations, because the receiver may have just left.
package struct PrivacyFilter: Sendable {
  /// What a destination may know of a fix.
  package enum Disclosure: Sendable, Hashable {
    case location(Location)
    /// The location is hidden from now on.
    case hidden
    case nothing
  }

  private enum Phase: Hashable {
    case visible
    /// Since a fix inside; `outside` is the time from which on all fixes were outside.
    case hidden(since: Date, outside: Date?, isReported: Bool)
  }

  /// The error that a destination gets in place of a hidden location.
  package static let hiding = LocationError(.locationUnknown, "the privacy setting hides the location")

  private static let dwell = RegionMonitoringPolicy().dwell

  package let policy: PrivacyPolicy
  private var phase: Phase

  package init(_ policy: PrivacyPolicy) {
    self.policy = policy
    phase = policy.hides ? .hidden(since: .distantPast, outside: nil, isReported: false) : .visible
  }

  package var isHidden: Bool { phase != .visible }

  package mutating func disclose(_ location: Location) -> Disclosure {
    if policy.isExact { return .location(location) }
    guard location.coordinate.isValid else { return .nothing }
    guard policy.hides else { return .location(policy.visible(location)) }
    // Without a time there is no dwell.
    guard let time = location.timestamp else { return .nothing }
    let isInside = policy.fence(hiding: location) != nil
    switch phase {
    case .visible:
      if !isInside { return .location(policy.visible(location)) }
      phase = .hidden(since: time, outside: nil, isReported: false)
      return .nothing
    case .hidden(let since, let outside, let wasReported):
      let hasStayed = Self.hasDwelt(since, time)
      if wasReported, !isInside, let outside, Self.hasDwelt(outside, time) {
        phase = .visible
        return .location(policy.visible(location))
      }
      // The receiver's clock may go back.
      phase = .hidden(
        since: min(since, time), outside: isInside ? nil : min(outside ?? time, time),
        isReported: wasReported || hasStayed)
      return hasStayed && !wasReported ? .hidden : .nothing
    }
  }

  private static func hasDwelt(_ start: Date, _ time: Date) -> Bool { time.timeIntervalSince(start) >= dwell }

  /// Whether the destination may know of a loss of the fix, which hides the location at once if it is in a hidden zone.
  package mutating func disclosesLoss() -> Bool {
    guard case .hidden(let since, let outside, let wasReported) = phase else { return true }
    phase = .hidden(since: since, outside: outside, isReported: true)
    return !wasReported
  }

  /// Whether the destination may know of a crossing at a location, if it knows the fence.
  package func disclosesCrossing(at location: Location) -> Bool { !isHidden && policy.fence(hiding: location) == nil }
}
