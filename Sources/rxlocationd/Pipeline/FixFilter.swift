import LocationKit
import Tracks

/// The filters of `--max-speed` and `--hold`, between the manager, whose fences see every fix, and the outputs.
@MainActor
final class FixFilter {
  private var jumps: JumpFilter?
  private var hold: PositionHold?

  /// Creates the filter; `nil` if neither is set.
  init?(_ settings: Settings) {
    if settings.maxSpeed == nil && settings.hold == nil { return nil }
    jumps = settings.maxSpeed.map { JumpFilter(maximumSpeed: $0, holdsBeginning: false) }
    hold = settings.hold.map { PositionHold(radius: $0) }
  }

  /// The fixes that were left out.
  var jumpCount: Int { jumps?.jumpCount ?? 0 }

  /// Returns the fixes that the outputs get. Up to ten that seemed to be jumps may come with a later one.
  func filter(_ locations: [Location]) -> [Location] {
    var kept: [Location] = []
    for location in locations {
      if jumps == nil { kept.append(location) }
      jumps?.add(.fix(location)) { event in
        if case .fix(let location) = event { kept.append(location) }
      }
    }
    return kept.map { hold?.update($0) ?? $0 }
  }

  /// Begins anew with the next fix, because the fix was lost.
  func reset() {
    jumps?.finish { _ in }
    hold?.reset()
  }
}
