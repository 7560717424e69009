/// A rectangle of a picture; y grows downwards.
struct Box: Equatable {
  var x, y, width, height: Double

  var right: Double { x + width }
  var bottom: Double { y + height }

  /// Whether the boxes share a point, or are nearer to each other than `margin`.
  func touches(_ other: Box, margin: Double = 0) -> Bool {
    x < other.right + margin && other.x < right + margin && y < other.bottom + margin && other.y < bottom + margin
  }
}
