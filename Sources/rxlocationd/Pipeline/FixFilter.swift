import FoundationEssentials
import LocationKit
import Platform
import Tracks

/// The filters of `--max-speed` and `--hold`, between the manager, whose fences see every fix, and the outputs.
@MainActor
final class FixFilter {
  private var jumps: JumpFilter?
  private var hold: PositionHold?
  /// Rises by two for each fix that is left out, and falls by one for each other one.
  private var rejections = 0
  private var isReported = false
  private static let rejectionLimit = 60
  /// Receives a message when most fixes are left out, once until the fixes are right again.
  var report: (String) -> Void = { _ in }

  init?(_ settings: Settings) {
    if settings.maxSpeed == nil && settings.hold == nil { return nil }
    jumps = settings.maxSpeed.map { JumpFilter(maximumSpeed: $0, holdsBeginning: false) }
    hold = settings.hold.map { PositionHold(radius: $0) }
  }

  var jumpCount: Int { jumps?.jumpCount ?? 0 }

  /// Returns the fixes that the outputs get. Up to ten that seemed to be jumps may come with a later one.
  func filter(_ locations: [Location]) -> [Location] {
    var kept: [Location] = []
    let before = jumpCount
    for location in locations {
      if jumps == nil { kept.append(location) }
      jumps?.add(.fix(location)) { event in
        if case .fix(let location) = event { kept.append(location) }
      }
    }
    judge(leftOut: jumpCount - before, kept: kept.count)
    return kept.map { hold?.update($0) ?? $0 }
  }

  private func judge(leftOut: Int, kept: Int) {
    rejections = min(Self.rejectionLimit, max(0, rejections + 2 * leftOut - kept))
    if rejections == 0 { isReported = false }
    guard rejections == Self.rejectionLimit, !isReported, let last = jumps?.lastJump else { return }
    isReported = true
    report(
      "max-speed leaves out most fixes, \(counted(jumpCount, "jump")) so far; the last was \(last). If the receiver is "
        + "right, a greater max-speed is needed")
  }

  /// Begins anew with the next fix, because the fix was lost.
  func reset() {
    jumps?.finish { _ in }
    hold?.reset()
  }
}

/// Leaves out positions that say nothing new, for `--spare-disk`: those near the last one kept, for four minutes. A longer
/// silence would look like a gap in the track.
@MainActor
final class SparingFilter {
  private static let metres = 10.0
  private static let seconds = 240.0
  private var last: (coordinate: LocationCoordinate2D, time: Date)?

  func keeps(_ coordinate: LocationCoordinate2D, at time: Date?) -> Bool {
    if let last, let time, (0..<Self.seconds).contains(time.timeIntervalSince(last.time)),
      coordinate.distance(from: last.coordinate) < Self.metres
    {
      return false
    }
    last = time.map { (coordinate, $0) }
    return true
  }

  /// Keeps the next position, because the fix was lost before it.
  func reset() { last = nil }
}
