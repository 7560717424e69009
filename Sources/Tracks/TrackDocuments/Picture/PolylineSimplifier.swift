/// Leaves out points of a line whose absence is invisible in a picture (Douglas and Peucker, 1973).
enum PolylineSimplifier {
  /// The points, without those that are nearer than `tolerance` to the line through the remaining ones. The first and
  /// the last point stay.
  static func simplified(_ points: [(x: Double, y: Double)], tolerance: Double) -> [(x: Double, y: Double)] {
    guard points.count > 2 else { return points }
    var stays = [Bool](repeating: false, count: points.count)
    stays[0] = true
    stays[points.count - 1] = true
    // Uses an explicit stack, because recursion over a line of many points could overflow the call stack.
    var ranges = [(0, points.count - 1)]
    while let (first, last) = ranges.popLast() {
      var farthest = (index: 0, distance: tolerance * tolerance)
      for index in first + 1..<max(last, first + 1) {
        let distance = squaredDistance(points[index], points[first], points[last])
        if distance > farthest.distance { farthest = (index, distance) }
      }
      guard farthest.index > 0 else { continue }
      stays[farthest.index] = true
      if farthest.index - first > 1 { ranges.append((first, farthest.index)) }
      if last - farthest.index > 1 { ranges.append((farthest.index, last)) }
    }
    return zip(points, stays).filter { $0.1 }.map(\.0)
  }

  /// The squared distance from a point to a line segment.
  private static func squaredDistance(
    _ point: (x: Double, y: Double), _ start: (x: Double, y: Double), _ end: (x: Double, y: Double)
  ) -> Double {
    let (x, y) = (end.x - start.x, end.y - start.y)
    let length = x * x + y * y
    let share = length > 0 ? min(1, max(0, ((point.x - start.x) * x + (point.y - start.y) * y) / length)) : 0
    let (dx, dy) = (point.x - start.x - share * x, point.y - start.y - share * y)
    return dx * dx + dy * dy
  }
}
