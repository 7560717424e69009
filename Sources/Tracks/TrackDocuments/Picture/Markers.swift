/// The labels of places on a map, laid out so that they do not overlap: labels that would overlap are merged into one.
struct Markers {
  /// A label, which stands above the place that it names.
  struct Marker: Equatable {
    var isStart = false
    var isEnd = false
    var stops: [Int] = []
    /// The place; the mean of the places if there are several.
    var x, y: Double
    var places = 1

    /// "Start", "3", "Start, 1–4, 6", or the number of stops if the list of their numbers would be too long.
    var text: String {
      var parts = isStart ? ["Start"] : []
      let numbers = Self.ranges(stops)
      if !stops.isEmpty { parts += numbers.count > 3 ? ["\(stops.count) stops"] : numbers }
      if isEnd { parts.append("End") }
      return parts.joined(separator: ", ")
    }

    /// 1, 2, 3, 5 as "1–3", "5".
    private static func ranges(_ numbers: [Int]) -> [String] {
      var set = RangeSet<Int>()
      for number in numbers { set.insert(contentsOf: number..<number + 1) }
      return set.ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)–\($0.upperBound - 1)" }
    }
  }

  static let height = 18.0
  static let rise = 7.0

  let frame: Box
  private(set) var markers: [Marker] = []

  /// The label of a marker: above its place, inside the frame.
  func box(of marker: Marker) -> Box {
    let width = max(Self.height, SVGText.width(of: marker.text) + 10)
    let above = marker.y - Self.rise - Self.height
    let x = min(max(marker.x - width / 2, frame.x + 2), frame.right - width - 2)
    let y = above < frame.y + 2 ? marker.y + Self.rise : above
    return Box(x: x, y: min(max(y, frame.y + 2), frame.bottom - Self.height - 2), width: width, height: Self.height)
  }

  mutating func add(_ marker: Marker) {
    var marker = marker
    // A merged label is wider and may touch another one, so all labels are compared again.
    while let index = markers.firstIndex(where: { box(of: $0).touches(box(of: marker), margin: 2) }) {
      marker = Self.merged(markers.remove(at: index), marker)
    }
    markers.append(marker)
  }

  private static func merged(_ first: Marker, _ second: Marker) -> Marker {
    let places = first.places + second.places
    let share = Double(second.places) / Double(places)
    return Marker(
      isStart: first.isStart || second.isStart, isEnd: first.isEnd || second.isEnd,
      stops: (first.stops + second.stops).sorted(), x: first.x + share * (second.x - first.x),
      y: first.y + share * (second.y - first.y), places: places)
  }
}
