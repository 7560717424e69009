import FoundationEssentials
import Platform
import Tracks

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

  /// A tick with a time of day, and with the date if a day begins there.
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
