/// Turns a recording's times into seconds of its replay, which never run backwards.
///
/// A recording may jump: a receiver that learns the date, files that were joined. A step back, or one ahead of more
/// than an hour, is taken for such a jump and lasts as long as the step before it, at most a second. Everything else
/// is a gap and lasts what it lasted.
struct RecordingTimeline {
  /// Seconds; a longer step ahead is a jump.
  static let longestGap = 3600.0
  /// Seconds that pass between two turns of a recording that has no step of its own.
  static let defaultStep = 1.0

  /// Seconds since the replay's start.
  private(set) var now = 0.0
  private var anchor = 0.0
  private var last: Double?
  private var lastStep = 0.0
  private var isStartingOver = false

  /// Moves to a time of the recording: seconds since 1970, or since midnight when it has no dates.
  ///
  /// - Parameter longestStep: How many seconds the step may last. A receiver that speaks now cannot have stepped
  ///   further than the host's clock has; if its time did, its clock was set.
  mutating func move(to time: Double, longestStep: Double = .infinity) {
    defer { last = time }
    guard let last else { return }
    var step = time - last
    // Without dates, midnight is a step back.
    if step < -43_200, last < 86_400 { step += 86_400 }
    if isStartingOver {
      step = lastStep > 0 ? lastStep : Self.defaultStep
      isStartingOver = false
    } else if step >= 0 && step <= Self.longestGap {
      if step > 0 { lastStep = min(step, 1) }
    } else {
      step = lastStep
    }
    anchor = max(now, anchor + min(step, longestStep))
    now = anchor
  }

  /// Where `move` would go, without going there.
  func position(of time: Double) -> Double {
    var copy = self
    copy.move(to: time)
    return copy.now
  }

  /// Moves on without the recording: it has a gap, or its input is silent.
  mutating func idle(until time: Double) {
    now = max(now, time)
  }

  /// The recording begins again. The step to its first time lasts as long as the one before it, whatever the times are.
  mutating func startOver() {
    isStartingOver = true
  }
}
