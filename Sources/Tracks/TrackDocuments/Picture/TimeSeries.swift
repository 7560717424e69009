import FoundationEssentials
import Platform

/// A quantity over time, in as many steps as a picture can show, in bounded memory.
///
/// Time is divided into steps; each holds the mean, the least and the greatest of its values. When there are too many
/// steps, their length is doubled.
struct TimeSeries {
  struct Step: Equatable {
    /// The index of the step, counted from the step of the first value.
    var index: Int
    var sum: Double
    var count: Int
    var least: Double
    var greatest: Double
    /// Whether there is a gap between the previous step and this one.
    var followsGap: Bool

    var mean: Double { sum / Double(count) }
  }

  private(set) var steps: [Step] = []
  /// Seconds.
  private(set) var width = 0.125
  /// Seconds since 1970 at which step 0 begins.
  private(set) var origin = 0.0
  private let limit: Int
  private var followsGap = true

  init(limit: Int = 4096) { self.limit = max(4, limit) }

  /// Adds a value. Values that are not finite are left out.
  mutating func add(_ value: Double, at time: Date) {
    let seconds = time.timeIntervalSince1970
    guard value.isFinite, seconds.magnitude < 1e12 else { return }
    if steps.isEmpty { origin = seconds }
    let index = Int(((seconds - origin) / width).rounded(.down))
    let step = Step(index: index, sum: value, count: 1, least: value, greatest: value, followsGap: followsGap)
    followsGap = false
    // The value nearly always belongs to the last step or a later one. Time goes backwards only with several files.
    let place = steps.lastIndex { $0.index <= index }
    if let place, steps[place].index == index {
      steps[place] = Self.merged(steps[place], step)
    } else {
      steps.insert(step, at: place.map { $0 + 1 } ?? 0)
    }
    while steps.count > limit { widen() }
  }

  mutating func addGap() { followsGap = true }

  func time(of step: Step) -> Double { origin + (Double(step.index) + 0.5) * width }

  var runs: [ArraySlice<Step>] {
    let starts = steps.indices.filter { $0 == 0 || steps[$0].followsGap }
    return zip(starts, starts.dropFirst() + [steps.count]).map { steps[$0..<$1] }
  }

  private mutating func widen() {
    width *= 2
    var joined: [Step] = []
    for var step in steps {
      step.index >>= 1
      if let last = joined.last, last.index == step.index {
        joined[joined.count - 1] = Self.merged(last, step)
      } else {
        joined.append(step)
      }
    }
    steps = joined
  }

  private static func merged(_ first: Step, _ second: Step) -> Step {
    Step(
      index: first.index, sum: first.sum + second.sum, count: first.count + second.count,
      least: min(first.least, second.least), greatest: max(first.greatest, second.greatest),
      followsGap: first.followsGap)
  }
}

/// The time axis that the charts of a picture share.
///
/// A long gap, such as a night, is drawn narrow, so that the drives around it have room: it takes a thirtieth of the
/// time that has values, however long it is.
struct TimeAxis {
  /// A gap that is drawn narrower than its duration, in seconds since 1970.
  struct Cut: Equatable {
    var start, end: Double
    /// The seconds of the axis that it takes.
    var drawn: Double
  }

  /// The greatest share of the time with values that a gap takes, and the share that a cut gap takes.
  private static let longest = 0.1
  private static let drawn = 1.0 / 30

  let start, end: Double
  let x, width: Double
  let timeZone: TrackTimeZone
  let cuts: [Cut]
  private let seconds: Double

  /// `nil` if no series has a value.
  init?(_ series: [TimeSeries], timeZone: TrackTimeZone, x: Double, width: Double) {
    let first = series.compactMap { one in one.steps.first.map(one.time) }.min()
    let last = series.compactMap { one in one.steps.last.map(one.time) }.max()
    guard let first, let last else { return nil }
    // A single moment needs an axis as well.
    let spare = max(0, 10 - (last - first)) / 2
    (start, end, self.x, self.width, self.timeZone) = (first - spare, last + spare, x, width, timeZone)
    let gaps = Self.gaps(of: series)
    let all = end - start
    let covered = all - gaps.reduce(0) { $0 + $1.end - $1.start }
    cuts = gaps.filter { $0.end - $0.start > Self.longest * covered }.map {
      Cut(start: $0.start, end: $0.end, drawn: Self.drawn * covered)
    }
    seconds = cuts.reduce(all) { $0 - ($1.end - $1.start) + $1.drawn }
  }

  private static func gaps(of series: [TimeSeries]) -> [(start: Double, end: Double)] {
    let runs = series.flatMap { one in
      one.runs.compactMap { run in
        guard let first = run.first, let last = run.last else { return nil }
        return (start: one.time(of: first), end: one.time(of: last))
      } as [(start: Double, end: Double)]
    }
    var gaps: [(start: Double, end: Double)] = []
    var end = Double.infinity
    for run in runs.sorted(by: { $0.start < $1.start }) {
      if run.start > end { gaps.append((end, run.start)) }
      end = end == .infinity ? run.end : max(end, run.end)
    }
    return gaps
  }

  func x(_ time: Double) -> Double {
    var passed = time - start
    for cut in cuts where time > cut.start {
      let length = cut.end - cut.start
      let inside = min(time, cut.end) - cut.start
      passed += inside * (cut.drawn / length - 1)
    }
    return x + passed / seconds * width
  }

  struct Tick {
    var x: Double
    var time: String
    var date: String?
  }

  /// Round times of the zone's clock, at least 64 picture units apart and outside cuts.
  var ticks: [Tick] {
    let offset = Double(timeZone.offset(Date(timeIntervalSince1970: start)).seconds)
    let step = RoundStep.ofTime(atLeast: seconds / width * 64)
    let isDays = step >= RoundStep.day
    let stretches = zip([start] + cuts.map(\.end), cuts.map(\.start) + [end])
    let times = stretches.flatMap { from, to in
      RoundStep.multiples(
        of: isDays ? RoundStep.ofTime(atLeast: seconds / width * 90) : step, from: from + offset, to: to + offset)
    }
    var day = timeZone.civil(Date(timeIntervalSince1970: start)).date
    var last = -Double.infinity
    return times.compactMap { local in
      let place = x(local - offset)
      // After a cut the next tick may be too near.
      guard place - last > 40 else { return nil }
      last = place
      let civil = timeZone.civil(Date(timeIntervalSince1970: local - offset))
      if isDays { return Tick(x: place, time: civil.date, date: nil) }
      defer { day = civil.date }
      return Tick(x: place, time: step < 60 ? civil.time : civil.minutes, date: civil.date == day ? nil : civil.date)
    }
  }
}
