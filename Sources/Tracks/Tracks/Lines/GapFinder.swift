import FoundationEssentials
import LocationKit

/// Finds the gaps of a recording that does not mark them: steps in time that are far longer than its pace.
///
/// Lines and sentences have no segments, so only the time shows that the receiver was off in between. The pace is the
/// median of the steps around one: the eight before it, the step itself and the eight after it. A receiver that reports
/// every six minutes therefore has no gaps, not even where it begins to do so. A receiver that reports every second and
/// is switched off for a quarter of an hour has one.
///
///     var finder = GapFinder()
///     finder.add(event) { summarizer.add($0) }
///     finder.finish { summarizer.add($0) }
///
/// There is also a gap where the time runs backwards or leaps over a year: the clock was set, or another recording
/// follows.
///
/// Within the segments of a recording that marks them, such a step in time is a silence instead: the line goes on.
///
/// Fixes are held back only around a step that may be a gap, at most nine of them. A fix without a time is not judged.
public struct GapFinder: Sendable {
  /// Steps of up to this many seconds are not gaps, whatever the pace is.
  static let shortestGap = 300.0
  /// A gap is this many times longer than the pace.
  static let factor = 10.0
  /// The number of steps on either side of a step that make up its pace.
  static let neighbourCount = 8

  private let gapAfter: Double?
  private let knowsSegments: Bool
  private var last: Date?
  /// The newest steps of the events that were passed on; the oldest is overwritten first.
  private var before = [Double](repeating: 0, count: neighbourCount)
  private var beforeCount = 0
  /// The step that may be a gap and the events since, each with the step that leads to it.
  private var held: [(event: TrackEvent, step: Double?)] = []

  /// Creates a finder.
  ///
  /// - Parameters:
  ///   - gapAfter: Seconds between two fixes beyond which there is a gap; `nil` to go by the recording's pace.
  ///   - knowsSegments: Whether the recording marks its gaps.
  public init(gapAfter: Double? = nil, knowsSegments: Bool = false) {
    (self.gapAfter, self.knowsSegments) = (gapAfter, knowsSegments)
  }

  /// Adds the next event and passes on the events that are decided, with a gap where one was found.
  public mutating func add(_ event: TrackEvent, _ emit: (TrackEvent) -> Void) {
    guard case .fix(let fix) = event else {
      finish(emit)
      return emit(event)
    }
    guard let time = fix.timestamp else { return forward(event, step: nil, emit) }
    let step = last.map { time.timeIntervalSince($0) }
    last = time
    if let gapAfter {
      mark(step, beyond: gapAfter, emit)
      return emit(event)
    }
    forward(event, step: step, emit)
  }

  /// Passes on the held events at once, judged by the steps that are known so far.
  mutating func settle(_ emit: (TrackEvent) -> Void) {
    while !held.isEmpty { decide(emit) }
  }

  /// Ends the recording, or a part of it: passes on the held events.
  public mutating func finish(_ emit: (TrackEvent) -> Void) {
    settle(emit)
    last = nil
  }

  private mutating func forward(_ event: TrackEvent, step: Double?, _ emit: (TrackEvent) -> Void) {
    if held.isEmpty, step.map({ $0 <= Self.shortestGap }) ?? true {
      mark(step, beyond: Self.shortestGap, emit)
      note(step)
      return emit(event)
    }
    held.append((event, step))
    if held.count > Self.neighbourCount { decide(emit) }
  }

  /// Decides about the oldest held step, and hands it on with all events that are decided then.
  private mutating func decide(_ emit: (TrackEvent) -> Void) {
    repeat {
      let (event, step) = held[0]
      mark(step, beyond: max(Self.shortestGap, Self.factor * pace), emit)
      held.removeFirst()
      note(step)
      emit(event)
    } while held.first.map { $0.step ?? 0 <= Self.shortestGap } ?? false
  }

  /// Emits a gap or a silence between two fixes, if the step in time is not one of the receiver's.
  private func mark(_ step: Double?, beyond longest: Double, _ emit: (TrackEvent) -> Void) {
    guard let step else { return }
    if knowsSegments {
      if step > longest { emit(.silence) }
    } else if step > min(longest, TrackSummarizer.longestStep) || step < 0 {
      emit(.gap)
    }
  }

  /// The median of the oldest held step and the steps around it.
  private var pace: Double {
    var steps = held.prefix(Self.neighbourCount + 1).compactMap(\.step).filter { $0 > 0 }
    steps += before.prefix(min(beforeCount, Self.neighbourCount))
    steps.sort()
    return steps.isEmpty ? 0 : steps[steps.count / 2]
  }

  private mutating func note(_ step: Double?) {
    // The clock was set, or two receivers report the same moment.
    guard let step, step > 0 else { return }
    before[beforeCount % Self.neighbourCount] = step
    beforeCount += 1
  }
}
