import FoundationEssentials
import Platform
import Tracks

/// A quantity over time: its mean as a line, and from the least to the greatest as a band around it.
struct ChartDrawing {
  var title: String
  var series: TimeSeries
  var beginsAtZero: Bool
  var axis: TimeAxis
  var stops: [Stop]

  private static let height = 116.0

  /// Draws downwards from `top`, and returns the lower edge.
  func draw(at top: Double, hasTimes: Bool, into svg: inout SVGText) -> Double {
    let frame = Box(x: axis.x, y: top + 24, width: axis.width, height: Self.height)
    var low = series.steps.map(\.least).min() ?? 0
    var high = series.steps.map(\.greatest).max() ?? 0
    if beginsAtZero { low = min(low, 0) }
    // Keeps noise of a metre from filling the whole height of the chart.
    if high - low < 10 {
      (low, high) = beginsAtZero ? (low, max(high, 5)) : ((low + high) / 2 - 5, (low + high) / 2 + 5)
    }
    let step = RoundStep.atLeast((high - low) / 4)
    low = (low / step + 1e-9).rounded(.down) * step
    high = (high / step - 1e-9).rounded(.up) * step
    func y(_ value: Double) -> Double { frame.bottom - (value - low) / (high - low) * frame.height }

    svg.label("name", title, x: TrackPicture.margin, y: top + 14)
    svg.box("ground", frame)
    for stop in stops.prefix(1000) {
      let left = max(frame.x, axis.x(stop.arrival.timeIntervalSince1970))
      let right = min(frame.right, axis.x(stop.departure.timeIntervalSince1970))
      if right > left { svg.box("stay", Box(x: left, y: frame.y, width: right - left, height: frame.height)) }
    }
    for cut in axis.cuts {
      let (left, right) = (axis.x(cut.start), axis.x(cut.end))
      svg.box("cut", Box(x: left, y: frame.y, width: right - left, height: frame.height))
    }
    for value in RoundStep.multiples(of: step, from: low, to: high) {
      svg.line("grid", from: (frame.x, y(value)), to: (frame.right, y(value)))
      svg.label("soft", Words.decimal(value, step: step), x: frame.x - 6, y: y(value) + 4, anchor: .end)
    }
    for tick in axis.ticks { svg.line("grid", from: (tick.x, frame.y), to: (tick.x, frame.bottom)) }
    curve(y, into: &svg)
    svg.box("frame", frame)
    numbers(frame, into: &svg)
    guard hasTimes else { return frame.bottom + 12 }
    times(frame, into: &svg)
    return frame.bottom + 40
  }

  private func curve(_ y: (Double) -> Double, into svg: inout SVGText) {
    var band = SVGPath()
    var means = SVGPath()
    for run in series.runs {
      means.add(PolylineSimplifier.simplified(run.map { (axis.x(series.time(of: $0)), y($0.mean)) }, tolerance: 0.2))
      if run.count > 1, run.contains(where: { $0.least < $0.greatest }) {
        let upper = run.map { (axis.x(series.time(of: $0)), y($0.greatest)) }
        let lower = run.reversed().map { (axis.x(series.time(of: $0)), y($0.least)) }
        band.add(
          PolylineSimplifier.simplified(upper, tolerance: 0.3) + PolylineSimplifier.simplified(lower, tolerance: 0.3))
        band.close()
      }
    }
    svg.add(#"<g transform="scale(.1)">"#)
    if !band.isEmpty { svg.add(#"<path class="band" d="\#(band.text)"/>"#) }
    svg.add(#"<path class="curve" d="\#(means.text)"/></g>"#)
  }

  /// The numbers of stops over their bands, where there is room.
  private func numbers(_ frame: Box, into svg: inout SVGText) {
    var last = frame.x
    for (index, stop) in stops.enumerated().prefix(1000) {
      let middle = axis.x((stop.arrival.timeIntervalSince1970 + stop.departure.timeIntervalSince1970) / 2)
      let half = SVGText.width(of: "\(index + 1)") / 2 + 2
      guard middle - half > last, middle + half < frame.right else { continue }
      svg.label("soft", "\(index + 1)", x: middle, y: frame.y + 13, anchor: .middle)
      last = middle + half
    }
  }

  private func times(_ frame: Box, into svg: inout SVGText) {
    let ticks = axis.ticks
    for tick in ticks {
      let half = SVGText.width(of: tick.time) / 2
      let x = min(tick.x, frame.right + TrackPicture.margin - half)
      svg.label("soft", tick.time, x: x, y: frame.bottom + 16, anchor: .middle)
    }
    // The date is written under the first time and wherever a new day begins.
    let start = Date(timeIntervalSince1970: axis.start)
    let zone = axis.timeZone.offset(start).abbreviation
    let isDays = ticks.first?.time.contains("-") ?? false
    let first = isDays ? zone : "\(axis.timeZone.day(of: start)) \(zone)"
    svg.label("soft", first, x: TrackPicture.margin, y: frame.bottom + 32)
    var dateEnd = TrackPicture.margin + SVGText.width(of: first) + 8
    for tick in ticks {
      guard let date = tick.date else { continue }
      let half = SVGText.width(of: date) / 2
      guard tick.x - half > dateEnd else { continue }
      svg.label(
        "soft", date, x: min(tick.x, frame.right + TrackPicture.margin - half), y: frame.bottom + 32, anchor: .middle)
      dateEnd = tick.x + half + 8
    }
  }
}
