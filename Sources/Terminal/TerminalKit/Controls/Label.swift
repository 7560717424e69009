/// A text. UIKit's `UILabel`.
@MainActor
open class Label: View {
  /// The text; line feeds begin new lines.
  open var text: String? {
    didSet { if text != oldValue { setNeedsDisplay() } }
  }

  /// Its style.
  public var style = Style.plain {
    didSet { if style != oldValue { setNeedsDisplay() } }
  }

  /// Whether the text is aligned to the right edge.
  public var isRightAligned = false

  /// Creates a label.
  public init(text: String? = nil, style: Style = .plain) {
    self.text = text
    self.style = style
  }

  private var lines: [Substring] { (text ?? "").split(separator: "\n", omittingEmptySubsequences: false) }

  /// The width of the longest line, and a row for each line.
  open override func sizeThatFits(width: Int) -> Size {
    Size(width: min(width, lines.map(\.columns).max() ?? 0), height: lines.count)
  }

  /// Draws the text, with "…" in a line that is too long.
  open override func draw(on canvas: Canvas) {
    for (row, line) in lines.enumerated() {
      let shown = line.truncated(toColumns: canvas.size.width)
      canvas.write(shown, x: isRightAligned ? canvas.size.width - shown.columns : 0, y: row, style: style)
    }
  }
}
