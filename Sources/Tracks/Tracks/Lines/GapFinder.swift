import FoundationEssentials
import LocationKit

/// Finds the gaps of a recording that does not say where they are: steps in time that are far longer than its pace.
///
/// Lines and sentences know no segments, so that only the time tells whether the receiver was off meanwhile. The pace is
/// the median of the steps around one: the eight before it, the step itself and the eight behind it. So a receiver that
/// reports every six minutes has no gaps, not even where it begins to do so, and one that reports every second and is
/// switched off for a quarter of an hour has one.
///
///     var finder = GapFinder()
///     finder.add(event) { summarizer.add($0) }
///     finder.finish { summarizer.add($0) }
///
/// Where the time runs backwards, or leaps over a year, there is a gap as well: the clock was set, or another recording
/// follows.
///
/// Within the segments of a recording that knows them, such a step in time is a silence instead: the line goes on.
///
/// Fixes are held back only around a step that may be a gap, nine of them at most. A fix without a time is not judged.
public struct GapFinder: Sendable {
  /// Seconds between two fixes up to which there is no gap, whatever the pace is.
  static let shortestGap = 300.0
  /// How many times longer than the pace a gap is.
  static let factor = 10.0
  /// How many steps on either side of one are its pace.
  static let reach = 8

  private let gapAfter: Double?
  private let knowsSegments: Bool
  private var last: Date?
  /// The newest steps that are not held back; the oldest is overwritten first.
  private var before = [Double](repeating: 0, count: reach)
  private var beforeCount = 0
  /// The step that may be a gap and what has come since, with the step that leads to each.
  private var held: [(event: TrackEvent, step: Double?)] = []

  /// Creates a finder.
  ///
  /// - Parameters:
  ///   - gapAfter: Seconds between two fixes beyond which there is a gap; `nil` to go by the recording's pace.
  ///   - knowsSegments: Whether the recording says itself where its gaps are.
  public init(gapAfter: Double? = nil, knowsSegments: Bool = false) {
    (self.gapAfter, self.knowsSegments) = (gapAfter, knowsSegments)
  }

  /// Takes the next event and hands on what is certain by now, with a gap where one was found.
  public mutating func add(_ event: TrackEvent, _ emit: (TrackEvent) -> Void) {
    guard case .fix(let fix) = event else {
      finish(emit)
      return emit(event)
    }
    guard let time = fix.timestamp else { return handOn(event, step: nil, emit) }
    let step = last.map { time.timeIntervalSince($0) }
    last = time
    if let gapAfter {
      mark(step, beyond: gapAfter, emit)
      return emit(event)
    }
    handOn(event, step: step, emit)
  }

  /// Hands on what is held back at once, by the steps that are known so far.
  mutating func settle(_ emit: (TrackEvent) -> Void) {
    while !held.isEmpty { decide(emit) }
  }

  /// Ends the recording, or a part of it: hands on what was held back.
  public mutating func finish(_ emit: (TrackEvent) -> Void) {
    settle(emit)
    last = nil
  }

  private mutating func handOn(_ event: TrackEvent, step: Double?, _ emit: (TrackEvent) -> Void) {
    if held.isEmpty, step.map({ $0 <= Self.shortestGap }) ?? true {
      mark(step, beyond: Self.shortestGap, emit)
      note(step)
      return emit(event)
    }
    held.append((event, step))
    if held.count > Self.reach { decide(emit) }
  }

  /// Decides about the oldest of what is held back, and hands it on with all that is certain then.
  private mutating func decide(_ emit: (TrackEvent) -> Void) {
    repeat {
      let (event, step) = held[0]
      mark(step, beyond: max(Self.shortestGap, Self.factor * pace), emit)
      held.removeFirst()
      note(step)
      emit(event)
    } while held.first.map { $0.step ?? 0 <= Self.shortestGap } ?? false
  }

  /// Says what is between two fixes, where the step in time is none that the receiver makes.
  private func mark(_ step: Double?, beyond longest: Double, _ emit: (TrackEvent) -> Void) {
    guard let step else { return }
    if knowsSegments {
      if step > longest { emit(.silence) }
    } else if step > min(longest, TrackSummarizer.longestStep) || step < 0 {
      emit(.gap)
    }
  }

  /// The median of the steps around the oldest that is held back, and of that.
  private var pace: Double {
    var steps = held.prefix(Self.reach + 1).compactMap(\.step).filter { $0 > 0 }
    steps += before.prefix(min(beforeCount, Self.reach))
    steps.sort()
    return steps.isEmpty ? 0 : steps[steps.count / 2]
  }

  private mutating func note(_ step: Double?) {
    // The clock was set, or two receivers report the same moment.
    guard let step, step > 0 else { return }
    before[beforeCount % Self.reach] = step
    beforeCount += 1
  }
}
