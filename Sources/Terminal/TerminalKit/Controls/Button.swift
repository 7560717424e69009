/// A button. UIKit's `UIButton`.
@MainActor
public final class Button: Control {
  /// The title.
  public var title = "" {
    didSet { if title != oldValue { setNeedsDisplay() } }
  }

  /// Creates a button without a title.
  public required init() {}

  /// Creates a button.
  public convenience init(title: String) {
    self.init()
    self.title = title
  }

  /// Presses the button if it is enabled.
  public func tap() {
    if isEnabled { sendActions(for: .primaryActionTriggered) }
  }

  /// One row, with room for brackets.
  public override func sizeThatFits(width: Int) -> Size { Size(width: min(width, title.columns + 4), height: 1) }

  /// Draws the title in brackets, reversed if the button has the focus.
  public override func draw(on canvas: Canvas) {
    let style = isEnabled ? Style.plain.reversed(if: isFocused) : .dim
    canvas.write("[ \(title.truncated(toColumns: canvas.size.width - 4)) ]", x: 0, y: 0, style: style)
  }

  /// Return and the space bar press it.
  public override func press(_ key: Key) -> Bool {
    guard isEnabled, key == .enter || key == .character(" ") else { return false }
    tap()
    return true
  }

  /// A click presses it.
  public override func click(_ point: Point) { tap() }
}
