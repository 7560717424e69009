import LocationKit
import Tracks

/// The map of a track: legend and scale bar, frame with graticule, the line coloured by speed, marked places.
struct MapDrawing {
  private let points: [PictureLine.Point]
  private static let unknown = "no speed"

  private let stops: [Stop]
  private let projection: MapProjection
  private let scale: SpeedScale?
  private let units: MeasurementUnits

  /// `nil` if the line has no point. `draw` places the frame.
  init?(line: PictureLine, stops: [Stop], units: MeasurementUnits, x: Double, width: Double) {
    let (latitudes, longitudes) = (line.points.map(\.latitude), line.points.map(\.longitude))
    guard let south = latitudes.min(), let north = latitudes.max(), let west = longitudes.min(),
      let east = longitudes.max()
    else { return nil }
    let aspect = MapProjection.aspect(south: south, north: north, west: west, east: east)
    // A narrow picture is for a phone, whose screen is taller than wide.
    let height = width * min(max(aspect, 0.4), width < 500 ? 1.2 : 0.7)
    projection = MapProjection(
      south: south, north: north, west: west, east: east, frame: Box(x: x, y: 0, width: width, height: height),
      padding: 34)
    points = line.thinned(to: projection.metresPerUnit, limit: 20_000)
    self.stops = stops
    self.units = units
    scale = points.compactMap(\.speed).max().map { SpeedScale(greatest: $0, units: units) }
  }

  /// Draws downwards from `top`, and returns the lower edge.
  func draw(at top: Double, pictureWidth: Double, into svg: inout SVGText) -> Double {
    var y = top
    let isNarrow = pictureWidth < 600
    if let scale { y = legend(scale, at: y, width: pictureWidth, into: &svg) }
    scaleBar(right: pictureWidth - TrackPicture.margin, y: isNarrow ? y + 22 : max(top + 36, y - 10), into: &svg)
    y = isNarrow ? y + 34 : max(top + 48, y + 2)
    svg.add(#"<g transform="translate(0 \#(SVGText.number(y)))">"#)
    svg.box("ground", projection.frame)
    graticule(into: &svg)
    way(into: &svg)
    svg.box("frame", projection.frame)
    marks(into: &svg)
    svg.add("</g>")
    return y + projection.frame.height + 30
  }

  // MARK: Around the map

  private func legend(_ scale: SpeedScale, at top: Double, width: Double, into svg: inout SVGText) -> Double {
    // Edges without a known speed are grey.
    let hasUnknown = points.contains { !$0.beginsSegment && $0.speed == nil }
    let unknown = hasUnknown ? SVGText.width(of: Self.unknown) + 24 : 0
    let room = min(width - 2 * TrackPicture.margin - 40 - unknown, 420)
    let block = min(44, room / Double(scale.classes))
    svg.label("name", "Speed, \(units.speed.name)", x: TrackPicture.margin, y: top + 14)
    for index in 0..<scale.classes {
      let box = Box(x: TrackPicture.margin + Double(index) * block, y: top + 21, width: block, height: 10)
      svg.add(#"<rect fill="\#(scale.colour(of: index))"\#(SVGText.place(box))/>"#)
    }
    for index in 0...scale.classes {
      let value = Words.decimal(Double(index) * scale.step, step: scale.step)
      let x = TrackPicture.margin + Double(index) * block
      svg.label("soft", value, x: x, y: top + 44, anchor: index == 0 ? .start : .middle)
    }
    if hasUnknown {
      let x = TrackPicture.margin + Double(scale.classes) * block + 24
      svg.box("unmeasured", Box(x: x, y: top + 21, width: unknown - 24, height: 10))
      svg.label("soft", Self.unknown, x: x, y: top + 44)
    }
    return top + 52
  }

  private func scaleBar(right: Double, y: Double, into svg: inout SVGText) {
    // The length is a round number in the larger unit, unless the bar is short.
    let room = projection.metresPerUnit * 180
    let isShort = room < units.shortDistance
    let unit = isShort ? 1 / units.height.factor : units.distance.metres
    let number = RoundStep.atMost(room / unit)
    let length = number * unit / projection.metresPerUnit
    let left = right - length
    svg.add(
      #"<path class="bar" d="M\#(SVGText.number(left)) \#(SVGText.number(y - 5))v5h\#(SVGText.number(length))v-5"/>"#)
    let text = "\(Words.trimmed(number, 2)) \(isShort ? units.height.name : units.distance.name)"
    svg.label("soft", text, x: (left + right) / 2, y: y - 7, anchor: .middle)
  }

  private func graticule(into svg: inout SVGText) {
    let frame = projection.frame
    let degrees = (projection.east - projection.west) / frame.width
    let longitudeStep = RoundStep.ofAngle(atLeast: degrees * 80)
    for longitude in RoundStep.multiples(of: longitudeStep, from: projection.west, to: projection.east) {
      let x = projection.x(longitude)
      svg.line("grid", from: (x, frame.y), to: (x, frame.bottom))
      let around = longitude - 360 * (longitude / 360).rounded()
      let text = Self.angle(around, longitudeStep, positive: "E", negative: "W")
      let half = SVGText.width(of: text) / 2
      // A label at the edge of the picture would be cut off.
      guard x - half > 0, x + half < frame.right + TrackPicture.margin else { continue }
      svg.label("soft", text, x: x, y: frame.bottom + 17, anchor: .middle)
    }
    let latitudeStep = RoundStep.ofAngle(atLeast: (projection.north - projection.south) / frame.height * 60)
    for latitude in RoundStep.multiples(of: latitudeStep, from: projection.south, to: projection.north)
    where latitude.magnitude < 89.5 {
      let y = projection.y(latitude)
      svg.line("grid", from: (frame.x, y), to: (frame.right, y))
      svg.label(
        "soft", Self.angle(latitude, latitudeStep, positive: "N", negative: "S"), x: frame.x - 6, y: y + 4,
        anchor: .end)
    }
  }

  /// "37.78° N"; no letter on the equator and the prime meridian.
  private static func angle(_ degrees: Double, _ step: Double, positive: String, negative: String) -> String {
    let text = Words.decimal(degrees.magnitude, step: step) + "°"
    if degrees.magnitude < step / 2 || degrees.magnitude > 180 - step / 1e3 { return text }
    return "\(text) \(degrees > 0 ? positive : negative)"
  }

  // MARK: In the map

  /// Draws the whole line in a dark or light colour first, which sets it off from the ground, then its edges by class.
  private func way(into svg: inout SVGText) {
    var under = SVGPath()
    var gaps = SVGPath()
    var classes = [SVGPath](repeating: SVGPath(), count: scale?.classes ?? 0)
    var unknown = SVGPath()
    func place(_ point: PictureLine.Point) -> (x: Double, y: Double) {
      (projection.x(point.longitude), projection.y(point.latitude))
    }
    func speedClass(_ point: PictureLine.Point) -> Int? { point.speed.flatMap { speed in scale?.classOf(speed) } }
    let starts = points.indices.filter { $0 == 0 || points[$0].beginsSegment }
    for (start, end) in zip(starts, starts.dropFirst() + [points.count]) {
      let places = points[start..<end].map(place)
      if start > 0 { gaps.add([place(points[start - 1]), places[0]]) }
      under.add(PolylineSimplifier.simplified(places, tolerance: 0.3))
      // An edge has the speed on the way to its end, because the speed at one fix alone is not representative.
      let edges = (places.count > 1 ? points[(start + 1)..<end] : points[start..<end]).map(speedClass)
      var first = 0
      while first < edges.count {
        let last = edges[first...].firstIndex { $0 != edges[first] } ?? edges.count
        let run = PolylineSimplifier.simplified(Array(places[first...min(last, places.count - 1)]), tolerance: 0.3)
        if let index = edges[first] { classes[index].add(run) } else { unknown.add(run) }
        first = last
      }
    }

    svg.add(#"<g transform="scale(.1)">"#)
    if !gaps.isEmpty { svg.add(#"<path class="gap" d="\#(gaps.text)"/>"#) }
    svg.add(#"<path class="under" d="\#(under.text)"/>"#)
    if !unknown.isEmpty { svg.add(#"<path class="way unknown" d="\#(unknown.text)"/>"#) }
    for (index, path) in classes.enumerated() where !path.isEmpty {
      svg.add(#"<path class="way" stroke="\#(scale?.colour(of: index) ?? "")" d="\#(path.text)"/>"#)
    }
    svg.add("</g>")
  }

  private func marks(into svg: inout SVGText) {
    guard let first = points.first, let last = points.last else { return }
    var markers = Markers(frame: projection.frame)
    var spots = [(x: projection.x(first.longitude), y: projection.y(first.latitude))]
    markers.add(.init(isStart: true, x: spots[0].x, y: spots[0].y))
    if points.count > 1 {
      spots.append((projection.x(last.longitude), projection.y(last.latitude)))
      markers.add(.init(isEnd: true, x: spots[1].x, y: spots[1].y))
    }
    let middle = (projection.west + projection.east) / 2
    for (index, stop) in stops.enumerated() {
      let longitude = stop.coordinate.longitude
      let near = longitude + 360 * ((middle - longitude) / 360).rounded()
      let spot = (x: projection.x(near), y: projection.y(stop.coordinate.latitude))
      spots.append(spot)
      markers.add(.init(stops: [index + 1], x: spot.x, y: spot.y))
    }
    for spot in spots.suffix(1000) {
      svg.add(#"<circle class="spot" cx="\#(SVGText.number(spot.x))" cy="\#(SVGText.number(spot.y))" r="3.5"/>"#)
    }
    for marker in markers.markers {
      let box = markers.box(of: marker)
      let kind = marker.places > 1 ? "" : marker.isStart ? " start" : marker.isEnd ? " end" : ""
      svg.box("tag" + kind, box, radius: 9)
      svg.label("tagged", marker.text, x: box.x + box.width / 2, y: box.y + 13, anchor: .middle)
    }
  }
}

extension PictureLine {
  /// Reduces a line to about `limit` points at most, for a picture in which one unit is `metres` long.
  func thinned(to metres: Double, limit: Int) -> [Point] {
    var line = self
    if metres > line.tolerance { line.thinOut(to: metres) }
    while line.points.count > limit && line.tolerance < 1e8 { line.thinOut(to: line.tolerance * 2) }
    return line.points
  }
}

/// Speeds as colours: classes with round limits in a unit, in colours of viridis. Colour-blind readers can tell these
/// apart, and they grow brighter with the speed in greyscale as well.
struct SpeedScale: Equatable {
  let step: Double
  let classes: Int

  private let factor: Double

  /// A scale from 0 to the greatest speed, in metres per second.
  init(greatest: Double, units: MeasurementUnits = .metric) {
    factor = units.speed.factor
    let top = max(greatest * factor, 1)
    step = RoundStep.atLeast(top / 8)
    classes = max(2, Int((top / step - 1e-9).rounded(.up)))
  }

  func classOf(_ speed: Double) -> Int {
    let index = speed * factor / step
    return index > 0 ? min(classes - 1, Int(min(index, 1e6))) : 0
  }

  /// The colour of a class, as "#440154".
  func colour(of index: Int) -> String {
    // The brightest tenth is left out, because it is hard to see on white.
    let position = 0.9 * Double(index) / Double(classes - 1) * Double(Self.viridis.count - 1)
    let low = min(Int(position), Self.viridis.count - 2)
    let share = position - Double(low)
    let channels = [16, 8, 0].map { shift in
      let (first, second) = (Double(Self.viridis[low] >> shift & 255), Double(Self.viridis[low + 1] >> shift & 255))
      return Int((first + share * (second - first)).rounded())
    }
    return "#" + channels.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
  }

  /// Eleven colours of matplotlib's viridis, evenly apart.
  private static let viridis = [
    0x440154, 0x482475, 0x414487, 0x355f8d, 0x2a788e, 0x21918c, 0x22a884, 0x44bf70, 0x7ad151, 0xbddf26, 0xfde725,
  ]
}
