import FoundationEssentials
public import LocationKit

/// Leaves out fixes that the receiver cannot have reached, because it was wrong for a moment.
///
/// A fix follows from another one if the way between them, less the greater of their accuracies, needs no more than the
/// maximum speed; a step in time counts for at least a second. A fix that does not follow begins a rival run. The next
/// fixes decide which run is right: the run that they continue stays, and the other one is left out. A rival with ten
/// fixes is where the receiver really is. A gap is put before it, because the way there is unknown. The beginning of a
/// segment is judged in the same way, so a wrong first fix does not reject the right ones.
///
/// A receiver may send an old place with every second fix. A rival that comes again after single fixes of the other run
/// is therefore right as well, when it has twenty fixes and has moved: an old place stays where it is.
///
/// The filter sees a jump that needs more than the maximum speed in both directions: with fixes a second apart and an
/// accuracy of 8 m, a limit of 50 m/s finds every jump of 58 m beyond the vehicle's own way in a second.
///
/// At most twenty fixes are held back, or ten if the beginning of a segment is not. A fix without a time is not judged.
public struct JumpFilter: Sendable {
  /// The number of fixes in a row that settle where the receiver is.
  static let settlingCount = 10

  /// The number of fixes that were left out so far.
  public private(set) var jumpCount = 0
  /// The last fix that was left out.
  public private(set) var lastJump: Location?

  private let maximumSpeed: LocationSpeed
  private let holdsBeginning: Bool
  /// The fixes at the beginning of a segment, until its place is settled.
  private var held: [Location] = []
  private var isSettled: Bool
  private var last: Location?
  private var rival: [Location] = []
  /// The fixes of the rival that were left out because single fixes of the right run came between.
  private var earlierRival: (first: Location, last: Location, count: Int)?

  /// Creates a filter; the speed is in metres per second. A live filter does not hold back the beginning of a segment, so
  /// a wrong first fix is passed on.
  public init(maximumSpeed: LocationSpeed, holdsBeginning: Bool = true) {
    self.maximumSpeed = maximumSpeed
    self.holdsBeginning = holdsBeginning
    isSettled = !holdsBeginning
  }

  /// Adds the next event and passes on the events that are decided.
  public mutating func add(_ event: TrackEvent, _ emit: (TrackEvent) -> Void) {
    guard case .fix(let fix) = event else {
      finish(emit)
      return emit(event)
    }
    guard fix.timestamp != nil, fix.coordinate.isValid else { return emit(event) }
    guard let last else { return accept(fix, emit) }
    let speed = speed(from: last, to: fix)
    if speed < 0 {
      // The clock was set, so the fix is not a jump.
      finish(emit)
      return accept(fix, emit)
    }
    if let other = rival.last ?? earlierRival?.last {
      let rivalSpeed = self.speed(from: other, to: fix)
      if rivalSpeed <= maximumSpeed, rivalSpeed <= speed {
        rival.append(fix)
        if isRivalRight { acceptRival(emit) }
        return
      }
    }
    if speed <= maximumSpeed {
      if let first = rival.first, let last = rival.last {
        earlierRival = (earlierRival?.first ?? first, last, (earlierRival?.count ?? 0) + rival.count)
      } else {
        earlierRival = nil
      }
      leaveOutRival()
      accept(fix, emit)
    } else {
      earlierRival = nil
      leaveOutRival()
      rival.append(fix)
    }
  }

  private var isRivalRight: Bool {
    if rival.count >= Self.settlingCount { return true }
    guard let earlierRival, let last = rival.last else { return false }
    let accuracy = max(10, earlierRival.first.horizontalAccuracy ?? 0, last.horizontalAccuracy ?? 0)
    return earlierRival.count + rival.count >= 2 * Self.settlingCount
      && last.distance(from: earlierRival.first) > accuracy
  }

  /// The lowest speed in metres per second at which the way between two fixes is possible; negative if the time runs
  /// backwards.
  private func speed(from start: Location, to end: Location) -> LocationSpeed {
    guard let first = start.timestamp, let second = end.timestamp else { return 0 }
    let seconds = second.timeIntervalSince(first)
    guard seconds >= 0 else { return -1 }
    let accuracy = max(0, start.horizontalAccuracy ?? 0, end.horizontalAccuracy ?? 0)
    return max(0, end.distance(from: start) - accuracy) / max(1, seconds)
  }

  private mutating func accept(_ fix: Location, _ emit: (TrackEvent) -> Void) {
    last = fix
    guard !isSettled else { return emit(.fix(fix)) }
    held.append(fix)
    if held.count >= Self.settlingCount { settle(emit) }
  }

  private mutating func settle(_ emit: (TrackEvent) -> Void) {
    isSettled = true
    for fix in held { emit(.fix(fix)) }
    held.removeAll(keepingCapacity: true)
  }

  private mutating func acceptRival(_ emit: (TrackEvent) -> Void) {
    if isSettled { emit(.gap) }
    jumpCount += held.count
    swap(&held, &rival)
    rival.removeAll(keepingCapacity: true)
    earlierRival = nil
    last = held.last
    settle(emit)
  }

  private mutating func leaveOutRival() {
    jumpCount += rival.count
    lastJump = rival.last ?? lastJump
    rival.removeAll(keepingCapacity: true)
  }

  /// Ends the track, or a segment of it: passes on the held fixes; at an unsettled beginning, those of the longer run.
  public mutating func finish(_ emit: (TrackEvent) -> Void) {
    if !isSettled, rival.count > held.count { swap(&held, &rival) }
    earlierRival = nil
    leaveOutRival()
    settle(emit)
    isSettled = !holdsBeginning
    last = nil
  }
}
