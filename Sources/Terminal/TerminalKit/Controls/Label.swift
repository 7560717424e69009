/// Text that the user reads. UIKit's `UILabel`.
@MainActor
open class Label: View {
  /// The text; line feeds begin new lines.
  open var text: String? {
    didSet { if text != oldValue { setNeedsDisplay() } }
  }

  /// How it looks.
  public var style = Style.plain {
    didSet { if style != oldValue { setNeedsDisplay() } }
  }

  /// Whether it stands at the right edge rather than at the left one.
  public var isRightAligned = false

  /// Creates a label.
  public init(text: String? = nil, style: Style = .plain) {
    self.text = text
    self.style = style
  }

  private var lines: [Substring] { (text ?? "").split(separator: "\n", omittingEmptySubsequences: false) }

  /// The longest line's width, and a row for each line.
  open override func sizeThatFits(width: Int) -> Size {
    Size(width: min(width, lines.map(\.columns).max() ?? 0), height: lines.count)
  }

  /// Draws the text, with "…" where a line is too long.
  open override func draw(on canvas: Canvas) {
    for (row, line) in lines.enumerated() {
      let shown = line.truncated(toColumns: canvas.size.width)
      canvas.write(shown, x: isRightAligned ? canvas.size.width - shown.columns : 0, y: row, style: style)
    }
  }
}
