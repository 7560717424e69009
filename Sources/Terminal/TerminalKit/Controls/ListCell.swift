/// A row of a ``ListView``. UIKit's `UITableViewCell`.
@MainActor
open class ListCell: Control {
  /// The text.
  public var text: String? {
    didSet { if text != oldValue { setNeedsDisplay() } }
  }

  /// The style of the text.
  public var style = Style.plain

  /// Whether the list's keys apply to this row.
  public internal(set) var isHighlighted = false

  var reuseIdentifier: String?

  /// Creates an empty cell.
  public required init() {}

  /// The list receives the keys for its cells. A control in a cell receives them itself if the cell has given it a frame.
  public final override var canBecomeFocused: Bool { false }

  /// Called before the cell is used for another row, to end the bindings of the last one. Overrides call super.
  open func prepareForReuse() {
    text = nil
    style = .plain
  }

  /// Draws the text.
  open override func draw(on canvas: Canvas) {
    canvas.write((text ?? "").truncated(toColumns: canvas.size.width), x: 0, y: 0, style: style)
  }

  final override func drawAll(on canvas: Canvas) {
    super.drawAll(on: canvas)
    if isHighlighted { canvas.reverse() }
  }
}
