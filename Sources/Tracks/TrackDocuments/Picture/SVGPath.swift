/// A path of whole tenths of a picture unit, which takes half the space of numbers with decimals.
struct SVGPath {
  private(set) var text = ""
  private var last = (x: 0, y: 0)

  var isEmpty: Bool { text.isEmpty }

  mutating func move(to point: (x: Double, y: Double)) {
    last = Self.tenths(point)
    text += "M\(last.x) \(last.y)"
  }

  mutating func line(to point: (x: Double, y: Double)) {
    let next = Self.tenths(point)
    let (x, y) = (next.x - last.x, next.y - last.y)
    text += y < 0 ? "l\(x)\(y)" : "l\(x) \(y)"
    last = next
  }

  /// Adds a line through points. A single point is a dot if line caps are round.
  mutating func add(_ points: some Collection<(x: Double, y: Double)>) {
    guard let first = points.first else { return }
    move(to: first)
    if points.count == 1 { text += "h0" }
    for point in points.dropFirst() { line(to: point) }
  }

  mutating func close() { text += "z" }

  private static func tenths(_ point: (x: Double, y: Double)) -> (x: Int, y: Int) {
    // No point of a picture is so far away. Converting a larger number to Int would trap.
    (Int(min(max(point.x * 10, -1e7), 1e7).rounded()), Int(min(max(point.y * 10, -1e7), 1e7).rounded()))
  }
}
