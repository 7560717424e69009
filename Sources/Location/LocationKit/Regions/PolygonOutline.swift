/// The edges of polygons, prepared for many positions. Copies of a region share it.
final class PolygonOutline: Sendable, Equatable {
  let polygons: [[[LocationCoordinate2D]]]
  /// Why a manager cannot monitor the polygons, in words that follow the region's name.
  let fault: String?
  let center: LocationCoordinate2D
  /// An upper bound of the metres from the centre to an edge.
  let radius: LocationDistance
  /// The metres from the edge to the point inside that is farthest from it, to a few percent.
  let greatestDepth: LocationDistance

  private let rings: [[PolygonRing]]
  private let edges: [PolygonEdge]
  /// Some edges in a row, and an upper bound of the straight metres from a corner to them.
  private let stretches: [(edges: Range<Int>, corner: EarthPoint, reach: LocationDistance)]
  private let middle: EarthPoint
  /// An upper bound of the straight metres from `middle` to an edge.
  private let reach: LocationDistance

  init(_ polygons: [[[LocationCoordinate2D]]]) {
    self.polygons = polygons
    var fault = Self.fault(of: polygons)
    rings = fault == nil ? polygons.map { $0.map(PolygonRing.init) } : []
    fault = fault ?? Self.strayHole(of: rings, polygons)
    edges = PolygonEdge.all(of: rings.joined())
    stretches = stride(from: 0, to: edges.count, by: 8).map { [edges] start in
      let some = start..<min(start + 8, edges.count)
      let corner = edges[some.lowerBound + some.count / 2].a
      return (some, corner, edges[some].map { $0.greatestDistance(to: corner) }.max() ?? 0)
    }
    // Rounded, because the centre and the radius identify a fence in a journal, and other machines compute other last digits.
    let mean = EarthPoint.mean(of: edges).coordinate
    center = .init(latitude: (mean.latitude * 1e9).rounded() / 1e9, longitude: (mean.longitude * 1e9).rounded() / 1e9)
    let middle = EarthPoint(center)
    (self.middle, reach) = (middle, edges.map { $0.greatestDistance(to: middle) }.max() ?? 0)
    radius = (2000 * WGS84.leastCurvature * C.asin(min(1, reach / (2 * WGS84.leastCurvature)))).rounded(.up) / 1000
    var depth = 0.0
    if fault == nil, radius > CircularRegion.maximumRadius || edges.isEmpty {
      fault = "it is larger than half the earth"
    } else if fault == nil {
      depth = PolygonBox.greatestDepth(in: rings, edges)
      if depth == 0 { fault = "it has no inside" }
    }
    (self.fault, greatestDepth) = (fault, depth)
  }

  static func == (a: PolygonOutline, b: PolygonOutline) -> Bool { a === b || a.polygons == b.polygons }

  private static func fault(of polygons: [[[LocationCoordinate2D]]]) -> String? {
    if polygons.isEmpty || polygons.contains([]) { return "it has no ring" }
    for (index, polygon) in polygons.enumerated() {
      for (number, ring) in polygon.enumerated() {
        let place = place(index, of: polygons) + "ring \(number + 1)"
        if let one = ring.first(where: { !(abs($0.latitude) <= 90 && abs($0.longitude) <= 360) }) {
          return "\(place): \(one.latitude), \(one.longitude) is not a coordinate"
        }
        let count = Set(ring).count
        if count < 3 { return "\(place) has \(count) different corners, and a ring needs 3" }
      }
    }
    return nil
  }

  /// A hole that is elsewhere would change the distances to the edge.
  private static func strayHole(of rings: [[PolygonRing]], _ polygons: [[[LocationCoordinate2D]]]) -> String? {
    for (index, polygon) in rings.enumerated() {
      for (number, hole) in polygon.enumerated().dropFirst() where !hole.corners.contains(where: polygon[0].contains) {
        // A hole may touch the ring, and a corner on an edge may be outside by a digit.
        let outer = PolygonOutline([[polygons[index][0]]])
        guard hole.corners.allSatisfy({ outer.depth(at: $0, EarthPoint($0)) < -0.1 }) else { continue }
        return "\(place(index, of: polygons))ring \(number + 1) is a hole outside of ring 1"
      }
    }
    return nil
  }

  private static func place(_ index: Int, of polygons: [[[LocationCoordinate2D]]]) -> String {
    polygons.count > 1 ? "polygon \(index + 1), " : ""
  }

  func contains(_ coordinate: LocationCoordinate2D) -> Bool { rings.contains { $0.contains(coordinate) } }

  func depth(at coordinate: LocationCoordinate2D, _ point: EarthPoint) -> LocationDistance {
    // The upper bounds leave few edges to measure.
    var least = stretches.reduce(.infinity) { min($0, $1.corner.chord(to: point) + $1.reach) }
    for stretch in stretches where stretch.corner.chord(to: point) - stretch.reach < least {
      for edge in edges[stretch.edges] { edge.measure(to: point, &least) }
    }
    // The longest circle of curvature gives the shortest arc of this chord.
    let arc = 2 * WGS84.greatestCurvature * C.asin(max(0, min(1, least / (2 * WGS84.greatestCurvature))))
    return contains(coordinate) ? arc : -arc
  }

  func greatestDepth(at point: EarthPoint) -> LocationDistance { reach - middle.leastDistance(to: point) }

  /// The rings with longitudes that continue across the antimeridian, near that of the centre. A ring around the earth
  /// has its pole as two more corners. For drawing on a map.
  var drawing: [[[LocationCoordinate2D]]] {
    rings.map { polygon in
      polygon.map { ring in
        let turns = ((center.longitude - (ring.west + ring.east) / 2) / 360).rounded() * 360
        return ring.closedCorners.map { .init(latitude: $0.latitude, longitude: $0.longitude + turns) }
      }
    }
  }
}

extension [PolygonRing] {
  /// Whether a coordinate is in the first ring and in none of its holes.
  fileprivate func contains(_ coordinate: LocationCoordinate2D) -> Bool {
    self[0].contains(coordinate) && !dropFirst().contains { $0.contains(coordinate) }
  }
}

/// A closed ring, whose longitudes continue across the antimeridian. The last corner is the first one, or is a turn around
/// the earth away from it.
struct PolygonRing: Sendable {
  let corners: [LocationCoordinate2D]
  let west, east: LocationDegrees
  private let hasSouthPole: Bool

  init(_ ring: [LocationCoordinate2D]) {
    var corners: [LocationCoordinate2D] = []
    var turns = 0.0
    for corner in ring + ring.prefix(1) {
      let step = corner.longitude + turns - (corners.last?.longitude ?? corner.longitude)
      if abs(step) > 180, abs(step) != 360 { turns += ((step.remainder(dividingBy: 360) - step) / 360).rounded() * 360 }
      corners.append(.init(latitude: corner.latitude, longitude: corner.longitude + turns))
    }
    self.corners = corners
    west = corners.map(\.longitude).min() ?? 0
    east = corners.map(\.longitude).max() ?? 0
    hasSouthPole = Self.turns(corners) && corners.reduce(0) { $0 + $1.latitude } < 0
  }

  private static func turns(_ corners: [LocationCoordinate2D]) -> Bool { corners.first != corners.last }

  /// The corners, and for a ring around the earth those at its pole.
  var closedCorners: [LocationCoordinate2D] {
    guard let first = corners.first, let last = corners.last, Self.turns(corners) else { return corners }
    let pole: LocationDegrees = hasSouthPole ? -90 : 90
    return corners + [last, first].map { .init(latitude: pole, longitude: $0.longitude) }
  }

  /// Whether the meridian from a coordinate to the south pole leaves the ring once more than it enters it.
  func contains(_ coordinate: LocationCoordinate2D) -> Bool {
    var isInside = hasSouthPole
    var longitude = coordinate.longitude + ((west - coordinate.longitude) / 360).rounded(.up) * 360
    while longitude <= east {
      for (a, b) in zip(corners, corners.dropFirst()) where (a.longitude > longitude) != (b.longitude > longitude) {
        let share = (longitude - a.longitude) / (b.longitude - a.longitude)
        let latitude = a.latitude + share * (b.latitude - a.latitude)
        // A ring may run along the pole, where the meridian ends.
        if latitude < coordinate.latitude || latitude == -90 { isInside.toggle() }
      }
      longitude += 360
    }
    return isInside
  }
}

/// At most a degree of an edge, which is straight in degrees, and its chord through the earth.
struct PolygonEdge: Sendable {
  private let start, end: LocationCoordinate2D
  let a, b: EarthPoint
  /// An upper bound of the metres between the edge and its chord.
  let bend: LocationDistance

  private init(from start: LocationCoordinate2D, to end: LocationCoordinate2D) {
    (self.start, self.end, a, b) = (start, end, EarthPoint(start), EarthPoint(end))
    // A curve is at most an eighth of its second derivative away from its chord.
    let north = abs(end.latitude - start.latitude) * .pi / 180
    let east = abs(end.longitude - start.longitude) * .pi / 180
    let cosine = C.cos(min(abs(start.latitude), abs(end.latitude)) * .pi / 180)
    bend = 6_600_000 / 8 * (north * north + 2 * north * east + cosine * east * east)
  }

  /// The edges that are boundaries: without those along the antimeridian that have an inside on both sides, and without
  /// poles.
  static func all(of rings: some Sequence<PolygonRing>) -> [PolygonEdge] {
    var edges: [PolygonEdge] = []
    var antimeridian: [LocationDegrees] = []
    for (start, end) in rings.lazy.flatMap({ zip($0.corners, $0.corners.dropFirst()) }) {
      if abs(start.latitude) == 90, start.latitude == end.latitude { continue }
      if start.longitude == end.longitude, abs(start.longitude.remainder(dividingBy: 360)) == 180 {
        antimeridian += [start.latitude, end.latitude]
      } else {
        append(from: start, to: end, to: &edges)
      }
    }
    antimeridian.sort()
    for index in stride(from: 0, to: antimeridian.count, by: 2) where antimeridian[index] < antimeridian[index + 1] {
      append(
        from: .init(latitude: antimeridian[index], longitude: 180),
        to: .init(latitude: antimeridian[index + 1], longitude: 180), to: &edges)
    }
    return edges
  }

  private static func append(
    from start: LocationCoordinate2D, to end: LocationCoordinate2D, to edges: inout [PolygonEdge]
  ) {
    let (north, east) = (end.latitude - start.latitude, end.longitude - start.longitude)
    let count = max(1, (abs(north) + abs(east)).rounded(.up))
    var last = start
    for part in stride(from: 1, through: count, by: 1) {
      let share = part / count
      let next =
        part == count
        ? end : .init(latitude: start.latitude + share * north, longitude: start.longitude + share * east)
      edges.append(PolygonEdge(from: last, to: next))
      last = next
    }
  }

  func distanceOfChord(to point: EarthPoint) -> LocationDistance { point.distance(toChordFrom: a, to: b) }

  func greatestDistance(to point: EarthPoint) -> LocationDistance { max(point.chord(to: a), point.chord(to: b)) + bend }

  /// Lowers `least` to the straight metres from a point to the edge. The result is less than the truth by at most 0.2 mm
  /// and a fifth of a millionth.
  func measure(to point: EarthPoint, _ least: inout LocationDistance) {
    let chord = distanceOfChord(to: point)
    guard chord - bend < least else { return }
    if bend <= 1e-4 + 1e-7 * chord { return least = max(0, chord - bend) }
    let middle = LocationCoordinate2D(
      latitude: (start.latitude + end.latitude) / 2, longitude: (start.longitude + end.longitude) / 2)
    PolygonEdge(from: start, to: middle).measure(to: point, &least)
    PolygonEdge(from: middle, to: end).measure(to: point, &least)
  }
}

/// A box in degrees around a polygon, or a part of such a box.
private struct PolygonBox {
  let south, north, west, east: LocationDegrees
  /// An upper bound of the depth in it.
  var bound = LocationDistance.infinity

  /// The greatest depth in polygons, to a few percent, where chords stand for the edges: that of the middles of boxes, and of
  /// the quarters of boxes that may have a greater one.
  static func greatestDepth(in polygons: [[PolygonRing]], _ edges: [PolygonEdge]) -> LocationDistance {
    var boxes = polygons.map { polygon in
      let (ring, latitudes) = (polygon[0], polygon[0].closedCorners.map(\.latitude))
      return PolygonBox(south: latitudes.min() ?? 0, north: latitudes.max() ?? 0, west: ring.west, east: ring.east)
    }
    var best = 0.0
    // Narrow shapes need many boxes, and shapes with many edges have slow ones.
    var rest = max(200, min(16_000, 1_600_000 / edges.count))
    while !boxes.isEmpty, rest > 0 {
      var quarters: [PolygonBox] = []
      for box in boxes.prefix(rest) where box.bound > best * 1.05 {
        rest -= 1
        let middle = LocationCoordinate2D(latitude: (box.south + box.north) / 2, longitude: (box.west + box.east) / 2)
        let (point, parallel) = (EarthPoint(middle), max(0, box.south, -box.north))
        let (height, width) = (box.north - box.south, (box.east - box.west) * C.cos(parallel * .pi / 180))
        // At least the metres from the middle to a corner.
        let reach = WGS84.metresPerDegree * 1.01 / 2 * C.hypot(height, width)
        var distance = LocationDistance.infinity
        // Most boxes are near an edge, and need no look at the others.
        for edge in edges where distance + reach > best * 1.05 {
          distance = min(distance, edge.distanceOfChord(to: point))
        }
        guard distance + reach > best * 1.05 else { continue }
        let depth = polygons.contains { $0.contains(middle) } ? distance : -distance
        best = max(best, depth)
        for (south, north) in [(box.south, middle.latitude), (middle.latitude, box.north)] {
          for (west, east) in [(box.west, middle.longitude), (middle.longitude, box.east)] {
            quarters.append(PolygonBox(south: south, north: north, west: west, east: east, bound: depth + reach))
          }
        }
      }
      boxes = quarters.sorted { $0.bound > $1.bound }
    }
    return best
  }
}
