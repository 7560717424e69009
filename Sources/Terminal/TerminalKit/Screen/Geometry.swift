/// A place on the screen: columns from the left, rows from the top.
public struct Point: Sendable, Hashable {
  /// Columns from the left.
  public var x: Int
  /// Rows from the top.
  public var y: Int

  /// Creates a place.
  public init(x: Int, y: Int) { (self.x, self.y) = (x, y) }
}

/// An extent in columns and rows.
public struct Size: Sendable, Hashable {
  /// Columns.
  public var width: Int
  /// Rows.
  public var height: Int

  /// Creates an extent; a negative value becomes 0.
  public init(width: Int, height: Int) { (self.width, self.height) = (max(0, width), max(0, height)) }
}

/// A part of the screen.
public struct Rect: Sendable, Hashable {
  /// The upper left corner.
  public var origin: Point
  /// The extent.
  public var size: Size

  /// Creates a part of the screen.
  public init(x: Int, y: Int, width: Int, height: Int) {
    (origin, size) = (Point(x: x, y: y), Size(width: width, height: height))
  }

  /// The empty rectangle.
  public static let zero = Rect(x: 0, y: 0, width: 0, height: 0)

  /// The column of the left edge.
  public var minX: Int { origin.x }
  /// The row of the upper edge.
  public var minY: Int { origin.y }
  /// The column after the right edge.
  public var maxX: Int { origin.x + size.width }
  /// The row below the lower edge.
  public var maxY: Int { origin.y + size.height }
  /// Columns.
  public var width: Int { size.width }
  /// Rows.
  public var height: Int { size.height }
  /// Whether it contains no cell.
  public var isEmpty: Bool { size.width == 0 || size.height == 0 }

  /// Whether it contains a place.
  public func contains(_ point: Point) -> Bool { minX..<maxX ~= point.x && minY..<maxY ~= point.y }

  /// The common part of two rectangles.
  public func intersection(_ other: Rect) -> Rect {
    let (x, y) = (max(minX, other.minX), max(minY, other.minY))
    return Rect(x: x, y: y, width: min(maxX, other.maxX) - x, height: min(maxY, other.maxY) - y)
  }

  /// The rectangle without that many columns and rows at each side.
  public func insetBy(dx: Int, dy: Int) -> Rect {
    Rect(x: minX + dx, y: minY + dy, width: width - 2 * dx, height: height - 2 * dy)
  }
}
