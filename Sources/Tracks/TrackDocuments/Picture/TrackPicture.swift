import LocationKit
import Records
import Tracks

struct TrackPicture {
  var line = PictureLine()
  /// In the unit of speeds.
  var speed = TimeSeries(limit: 2048)
  /// Above mean sea level, in the unit of heights.
  var altitude = TimeSeries(limit: 2048)
  var timeZone: TrackTimeZone
  var units: MeasurementUnits

  /// The space to the left of the map and the charts, for the labels of their axes.
  static let left = 78.0
  static let margin = 16.0

  /// The picture as an SVG element; its texts have the same size at every width. A picture that is alone is a document, with a
  /// title and its own colours.
  func svg(_ report: TrackReport, width: Double, isAlone: Bool) -> String {
    var content = SVGText()
    var y = isAlone ? heading(report, width: width, into: &content) : 0
    let inner = Box(x: Self.left, y: 0, width: width - Self.left - Self.margin, height: 0)
    if let map = MapDrawing(line: line, stops: report.summary.stops, units: units, x: inner.x, width: inner.width) {
      y = map.draw(at: y, pictureWidth: width, into: &content)
    } else {
      content.label("soft", "There is no fix in this track.", x: Self.margin, y: y + 20)
      y += 36
    }
    let charts = [
      ("Speed, \(units.speed.name)", speed, true), ("Altitude, \(units.height.name)", altitude, false),
    ].filter { !$0.1.steps.isEmpty }
    if let axis = TimeAxis(charts.map(\.1), timeZone: timeZone, x: inner.x, width: inner.width) {
      for (index, chart) in charts.enumerated() {
        let figure = ChartDrawing(
          title: chart.0, series: chart.1, beginsAtZero: chart.2, axis: axis, stops: report.summary.stops)
        y = figure.draw(at: y, hasTimes: index == charts.count - 1, into: &content)
      }
    }
    let height = SVGText.number(y + 8)
    let w = SVGText.number(width)
    let name = SVGText.escaped("Map of \(report.name) with speed and altitude over time")
    let namespace = isAlone ? #"xmlns="http://www.w3.org/2000/svg" "# : ""
    let size = #"width="\#(w)" height="\#(height)" viewBox="0 0 \#(w) \#(height)""#
    var picture = SVGText()
    picture.add(#"<svg \#(namespace)class="trk" role="img" aria-label="\#(name)" \#(size)>"#)
    if isAlone {
      picture.add("<title>\(SVGText.escaped(report.name))</title>")
      picture.add("<style>\n\(PictureStyle.css)</style>")
      picture.box("paper", Box(x: 0, y: 0, width: width, height: y + 8))
    }
    return picture.text + content.text + "</svg>\n"
  }

  /// Draws the name and the most important figures; returns the lower edge.
  private func heading(_ report: TrackReport, width: Double, into svg: inout SVGText) -> Double {
    let room = Int((width - 2 * Self.margin) / (18 * 0.6))
    svg.label("title", Self.shortened(report.name, to: room), x: Self.margin, y: 30)
    let figures = SummaryTable(report: report, timeZone: timeZone, units: units)
    let wanted = ["Duration", "Average speed"]
    // There is room for one line, so the distance is the only way that is shown.
    var parts = report.summary.statistics.fixCount > 0 ? [figures.distance] : []
    parts += wanted.compactMap { name in figures.lines.first { $0.name == name }?.value }
    if let time = figures.lines.first(where: { $0.name == "Time" }) { parts.append(time.value) }
    svg.label("soft", parts.joined(separator: " · "), x: Self.margin, y: 51)
    return 64
  }

  /// A text of at most `count` characters, with an ellipsis in the middle if some are left out.
  static func shortened(_ text: String, to count: Int) -> String {
    guard text.count > count, count > 4 else { return text }
    return "\(text.prefix(count / 2))…\(text.suffix(count - count / 2 - 1))"
  }
}

/// Keeps what a picture shows of a track, and draws it at the end. Its memory does not grow with the track.
struct PictureWriter: TrackWriter {
  /// Whether the document is a page with the picture, the figures and a table, not the picture alone.
  private let isPage: Bool
  private var picture: TrackPicture
  private var meter = SpeedMeter()

  init(isPage: Bool, timeZone: TrackTimeZone, units: MeasurementUnits) {
    self.isPage = isPage
    picture = TrackPicture(timeZone: timeZone, units: units)
  }

  mutating func append(_ event: TrackEvent, to buffer: inout RecordBuffer) {
    guard case .fix(let location) = event else { return interrupt(isGap: event == .gap) }
    guard location.coordinate.isValid else { return }
    let speed = meter.add(location)
    picture.line.add(location.coordinate, speed: speed)
    guard let time = location.timestamp else { return }
    if let speed { picture.speed.add(speed * picture.units.speed.factor, at: time) }
    if let altitude = location.altitude { picture.altitude.add(altitude * picture.units.height.factor, at: time) }
  }

  mutating func end(_ report: TrackReport, to buffer: inout RecordBuffer) {
    picture.line.finish()
    let page = HTMLPage(report: report, picture: picture)
    buffer.append(text: isPage ? page.text : picture.svg(report, width: 960, isAlone: true))
  }

  /// A silence interrupts the charts but not the line.
  private mutating func interrupt(isGap: Bool) {
    meter.addGap()
    if isGap { picture.line.addGap() }
    picture.speed.addGap()
    picture.altitude.addGap()
  }
}

/// Colours and type of the pictures, for light and for dark surroundings.
///
/// Each rule spells out its colours, because programs that show SVG outside a browser do not support variables.
/// Programs without media queries show the light colours.
enum PictureStyle {
  static let css = """
    .trk{font:12px system-ui,"DejaVu Sans",Arial,sans-serif}
    .trk text{fill:#1f2328}.trk .title{font-size:18px;font-weight:600}.trk .name{font-weight:600}
    .trk .soft{fill:#57606a}.trk .paper{fill:#fff}.trk .ground{fill:#f6f8fa}
    .trk .frame{fill:none;stroke:#8c959f}.trk .grid{stroke:#d0d7de;fill:none}.trk .bar{stroke:#1f2328;stroke-width:2;fill:none}
    .trk .way,.trk .under,.trk .gap{fill:none;stroke-linecap:round;stroke-linejoin:round}
    .trk .under{stroke:#1f2328;stroke-opacity:.45;stroke-width:60}.trk .way{stroke-width:38}.trk .unknown{stroke:#8c959f}.trk .unmeasured{fill:#8c959f}
    .trk .gap{stroke:#57606a;stroke-width:15;stroke-dasharray:1 50}
    .trk .cut{fill:none;stroke:#57606a;stroke-dasharray:2 4}
    .trk .stay{fill:#57606a;fill-opacity:.18}.trk .band{fill:#0969da;fill-opacity:.25}
    .trk .curve{fill:none;stroke:#0969da;stroke-width:16;stroke-linecap:round;stroke-linejoin:round}
    .trk .spot{fill:#fff;stroke:#1f2328;stroke-width:2}.trk .tag{stroke:#fff;fill:#24292f}.trk .tag.start{fill:#116329}
    .trk .tag.end{fill:#a40e26}.trk .tagged{fill:#fff;font-weight:600}
    @media (prefers-color-scheme:dark){
    .trk text{fill:#e6edf3}.trk .soft{fill:#9da7b3}.trk .paper{fill:#0d1117}.trk .ground{fill:#161b22}
    .trk .frame{stroke:#6e7681}.trk .grid{stroke:#30363d}.trk .bar{stroke:#e6edf3}
    .trk .under{stroke:#e6edf3;stroke-opacity:.5}.trk .gap{stroke:#9da7b3}
    .trk .stay{fill:#9da7b3;fill-opacity:.22}.trk .band{fill:#58a6ff;fill-opacity:.3}.trk .curve{stroke:#58a6ff}
    .trk .tag{stroke:#0d1117;fill:#e6edf3}.trk .tag.start{fill:#56d364}.trk .tag.end{fill:#ff9492}
    .trk .tagged{fill:#0d1117}
    }

    """
}
