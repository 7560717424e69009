/// A partly filled bar. UIKit's `UIProgressView`.
@MainActor
public final class ProgressBar: View {
  /// The filled share from 0 to 1; `nil` if it is unknown, and then the bar is not drawn.
  public var value: Double? {
    didSet { if value != oldValue { setNeedsDisplay() } }
  }

  /// The style of the filled part.
  public var style = Style.color(.green) {
    didSet { if style != oldValue { setNeedsDisplay() } }
  }

  /// Creates a bar.
  public init(style: Style = .color(.green)) { self.style = style }

  /// One row.
  public override func sizeThatFits(width: Int) -> Size { Size(width: 0, height: 1) }

  /// Draws the bar.
  public override func draw(on canvas: Canvas) {
    canvas.write(Self.text(value, columns: canvas.size.width).filled, x: 0, y: 0, style: style)
    let rest = Self.text(value, columns: canvas.size.width).rest
    canvas.write(rest, x: canvas.size.width - rest.count, y: 0, style: .dim)
  }

  /// A bar as text. Any progress above 0 is visible, and only complete progress fills the bar.
  public static func text(_ value: Double?, columns: Int) -> (filled: String, rest: String) {
    guard let value, value.isFinite, columns > 0 else { return ("", "") }
    let share = min(1, max(0, value)) * Double(columns)
    let filled = share > 0 && share < 1 ? 1 : Int(share)
    return (String(repeating: "█", count: filled), String(repeating: "░", count: columns - filled))
  }
}
