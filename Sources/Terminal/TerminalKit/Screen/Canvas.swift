/// The part of a ``Surface`` that belongs to one view. Places are relative to the view's corner.
@MainActor
public struct Canvas {
  let surface: Surface
  /// The place of the view's corner on the surface.
  let origin: Point
  /// The part of the surface that may be drawn on.
  let clip: Rect
  /// The view's extent.
  public let size: Size

  init(_ surface: Surface) {
    let all = Rect(x: 0, y: 0, width: surface.size.width, height: surface.size.height)
    self.init(surface: surface, origin: all.origin, clip: all, size: all.size)
  }

  private init(surface: Surface, origin: Point, clip: Rect, size: Size) {
    (self.surface, self.origin, self.clip, self.size) = (surface, origin, clip, size)
  }

  func inside(_ frame: Rect) -> Canvas {
    let absolute = Rect(x: origin.x + frame.minX, y: origin.y + frame.minY, width: frame.width, height: frame.height)
    return Canvas(surface: surface, origin: absolute.origin, clip: clip.intersection(absolute), size: absolute.size)
  }

  /// Writes one line of text; characters that do not fit are left out.
  public func write(_ text: some StringProtocol, x: Int, y: Int, style: Style = .plain) {
    var column = x
    for character in text {
      surface.set(character, at: Point(x: origin.x + column, y: origin.y + y), style: style, clip: clip)
      column += character.columns
    }
  }

  /// Fills a part with spaces.
  public func clear(_ rect: Rect, style: Style = .plain) {
    surface.clear(
      Rect(x: origin.x + rect.minX, y: origin.y + rect.minY, width: rect.width, height: rect.height)
        .intersection(clip), style: style)
  }

  /// Draws a frame around everything, with a title in its upper edge.
  public func drawBorder(title: String?, style: Style = .plain) {
    guard size.width >= 2, size.height >= 2 else { return }
    let line = String(repeating: "─", count: size.width - 2)
    write("┌" + line + "┐", x: 0, y: 0, style: style)
    write("└" + line + "┘", x: 0, y: size.height - 1, style: style)
    for y in 1..<(size.height - 1) {
      write("│", x: 0, y: y, style: style)
      write("│", x: size.width - 1, y: y, style: style)
    }
    if let title, !title.isEmpty { write(" \(title.truncated(toColumns: size.width - 6)) ", x: 2, y: 0, style: style) }
  }

  func reverse() { surface.reverse(clip) }

  /// Places the terminal's cursor.
  public func setCursor(x: Int, y: Int) {
    let point = Point(x: origin.x + x, y: origin.y + y)
    if clip.contains(point) { surface.cursor = point }
  }
}
