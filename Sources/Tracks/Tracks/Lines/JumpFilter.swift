import FoundationEssentials
public import LocationKit

/// Leaves out fixes that nobody can have reached: those of a receiver that was wrong for a moment.
///
/// A fix follows from another one when the way between them, less the greater of their accuracies, takes no more than the
/// maximum speed; a step in time counts for at least a second. A fix that does not follow begins a rival run. Which
/// is right shows in what comes next: the run that the fixes go on with stays and the other one is left out, and once the
/// rival has ten fixes it is where the receiver really is. Then there is a gap before it, since the way there is unknown.
/// The beginning of a segment is judged in the same way, so that a wrong first fix does not refuse the right ones.
///
/// What can be seen is a jump that takes more than the maximum speed to and fro: with fixes a second apart and an accuracy
/// of 8 m, a limit of 50 m/s finds every jump of 58 m beyond the vehicle's own way in a second.
///
/// At most twenty fixes are held back. A fix without a time is not judged.
public struct JumpFilter: Sendable {
  /// How many fixes in a row settle where the receiver is.
  static let settlingCount = 10

  /// How many fixes were left out so far.
  public private(set) var jumpCount = 0

  private let maximumSpeed: LocationSpeed
  /// The fixes at the beginning of a segment, while that is not settled.
  private var held: [Location] = []
  private var isSettled = false
  private var last: Location?
  private var rival: [Location] = []

  /// Creates a filter; the speed is in metres per second.
  public init(maximumSpeed: LocationSpeed) {
    self.maximumSpeed = maximumSpeed
  }

  /// Takes the next event and hands on what is certain by now.
  public mutating func add(_ event: TrackEvent, _ emit: (TrackEvent) -> Void) {
    guard case .fix(let fix) = event else {
      endSegment(emit)
      return emit(event)
    }
    guard fix.timestamp != nil, fix.coordinate.isValid else { return emit(event) }
    guard let last else { return accept(fix, emit) }
    let speed = speed(from: last, to: fix)
    if speed < 0 {
      // The clock was set, which is no jump.
      endSegment(emit)
      return accept(fix, emit)
    }
    if let other = rival.last {
      let rivalSpeed = self.speed(from: other, to: fix)
      if rivalSpeed <= maximumSpeed, rivalSpeed <= speed {
        rival.append(fix)
        if rival.count >= Self.settlingCount { acceptRival(emit) }
        return
      }
    }
    if speed <= maximumSpeed {
      leaveOutRival()
      accept(fix, emit)
    } else {
      leaveOutRival()
      rival.append(fix)
    }
  }

  /// Ends the track: hands on what was held back.
  public mutating func finish(_ emit: (TrackEvent) -> Void) {
    endSegment(emit)
  }

  /// Metres per second that the way between two fixes takes at least; negative when the time runs backwards.
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
    last = held.last
    settle(emit)
  }

  private mutating func leaveOutRival() {
    jumpCount += rival.count
    rival.removeAll(keepingCapacity: true)
  }

  /// Hands on what is held back; of a beginning that is not settled, the longer run.
  private mutating func endSegment(_ emit: (TrackEvent) -> Void) {
    if !isSettled, rival.count > held.count { swap(&held, &rival) }
    leaveOutRival()
    settle(emit)
    isSettled = false
    last = nil
  }
}
