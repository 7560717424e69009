/// Turns a recording's times into seconds of its replay, which never go back.
///
/// A recording may jump, because a receiver learned the date or files were joined. A step back, or ahead by more than
/// an hour, counts as such a jump and lasts as long as the step before it, at most a second. Any other gap lasts as
/// long as it did.
package struct RecordingTimeline {
  /// Seconds; a longer step ahead is a jump.
  static let longestGap = 3600.0
  /// Seconds between two turns of a recording that has no steps of its own.
  static let defaultStep = 1.0

  /// Seconds since the replay's start.
  package private(set) var now = 0.0
  private var anchor = 0.0
  private var last: Double?
  private var lastStep = 0.0
  private var isStartingOver = false

  package init() {}

  /// Moves to a time of the recording: seconds since 1970, or since midnight when it has no dates. The step lasts at most
  /// `longestStep`: a live receiver cannot have moved further than the host's clock; if its time did, its clock was set.
  package mutating func move(to time: Double, longestStep: Double = .infinity) {
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

  /// Where `move` would go; the timeline does not change.
  func position(of time: Double) -> Double {
    var copy = self
    copy.move(to: time)
    return copy.now
  }

  /// Moves on without the recording, because it has a gap or its input is silent.
  mutating func idle(until time: Double) { now = max(now, time) }

  /// Begins the recording again. The step to its first time lasts as long as the one before it, whatever the times are.
  mutating func startOver() { isStartingOver = true }
}
