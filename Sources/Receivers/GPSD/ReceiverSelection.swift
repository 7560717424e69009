import LocationKit

/// Chooses which of several receivers under one gpsd to follow, so that their positions never mix. `GPSDSource` has the rule.
///
/// Half of the stale limit leaves time for the other receiver's fix before the location counts as unknown. Without a limit
/// 5 s of silence are enough. A receiver that comes back waits until the followed one has lost its fix, so the choice does
/// not flap. The loss of the fix is passed on only when no receiver has a fix. Headings are always passed on: a compass is
/// often a device of its own.
struct ReceiverSelection {
  private struct Fix {
    var mode: FixMode
    var accuracy: LocationAccuracy
    var time: Double
    var coordinate: LocationCoordinate2D
    var speed: LocationSpeed

    func isWorse(than other: Fix) -> Bool { mode == other.mode ? accuracy > other.accuracy : mode == .twoDimensional }
  }

  /// A hostile peer may name any number of receivers.
  private static let receiverLimit = 64
  /// Metres between two antennas of a vehicle.
  private static let antennaDistance = 20.0
  /// Seconds; an older fix is not compared.
  private static let longestAge = 3.0
  /// The last fix of each receiver that has one.
  private var fixes: [String: Fix] = [:]
  var receiverCount: Int { fixes.count }
  /// The receiver that is followed; `nil` while no receiver has a fix.
  private(set) var followed: String?

  /// Notes a report that `receiver` made at `now` on any clock; returns whether to pass it on. The limits are those of
  /// the source's listeners.
  mutating func passes(
    _ event: LocationSourceEvent, of receiver: String, at now: Double, staleAfter: Double,
    accuracyFilter: LocationAccuracy? = nil
  ) -> Bool {
    switch event {
    case .location(let location):
      guard location.passes(accuracyFilter: accuracyFilter) else { return false }
      if fixes[receiver] == nil && fixes.count >= Self.receiverLimit { fixes.removeAll() }
      fixes[receiver] = Fix(
        mode: location.mode, accuracy: location.horizontalAccuracy ?? .infinity, time: now,
        coordinate: location.coordinate, speed: location.speed ?? 0)
      if !hasFix(followed, at: now, staleAfter: staleAfter) { followBest(at: now, staleAfter: staleAfter) }
      return followed == receiver
    case .noFix:
      remove(receiver, at: now, staleAfter: staleAfter)
      return followed == nil
    case .satellites:
      return followed == nil || followed == receiver
    default:
      return true
    }
  }

  /// Whether another receiver's fix of the last seconds is farther from that of `receiver` than both accuracies, the way
  /// since then and the place of the antennas explain.
  func contradicts(_ receiver: String, at now: Double) -> Bool {
    guard fixes.count > 1, let fix = fixes[receiver] else { return false }
    let plane = LocalPlane(at: fix.coordinate)
    return fixes.contains { name, other in
      let age = now - other.time
      return name != receiver && age <= Self.longestAge
        && plane.distance(to: other.coordinate)
          > fix.accuracy + other.accuracy + Self.antennaDistance + age * max(fix.speed, other.speed)
    }
  }

  /// Forgets a receiver that gpsd no longer has, or that has lost its fix.
  mutating func remove(_ receiver: String, at now: Double, staleAfter: Double) {
    fixes[receiver] = nil
    if followed == receiver { followBest(at: now, staleAfter: staleAfter) }
  }

  private mutating func followBest(at now: Double, staleAfter: Double) {
    let candidates = fixes.filter { hasFix($0.key, at: now, staleAfter: staleAfter) }
    // Equally good receivers are ordered by name, so the choice is always the same.
    followed = candidates.sorted { $0.key > $1.key }.max { $0.value.isWorse(than: $1.value) }?.key
  }

  private func hasFix(_ receiver: String?, at now: Double, staleAfter: Double) -> Bool {
    guard let receiver, let fix = fixes[receiver] else { return false }
    return now - fix.time <= (staleAfter < .infinity ? max(0, staleAfter / 2) : 5)
  }
}
