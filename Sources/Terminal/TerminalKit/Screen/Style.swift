/// The colours of every colour terminal.
public enum Color: UInt8, Sendable, Hashable, CaseIterable {
  /// The first colour; curses numbers them from 1.
  case red = 1
  /// The other colours, in curses' order.
  case green, yellow, blue, magenta, cyan
}

/// The look of a character. A terminal without colours still shows the other attributes.
public struct Style: Sendable, Hashable {
  /// The colour of the character; `nil` for the terminal's own.
  public var color: Color?
  /// Whether it is bold.
  public var isBold: Bool
  /// Whether it is dim.
  public var isDim: Bool
  /// Whether its colours are swapped.
  public var isReversed: Bool
  /// Whether it is underlined.
  public var isUnderlined: Bool

  /// Creates a style.
  public init(
    color: Color? = nil, bold: Bool = false, dim: Bool = false, reversed: Bool = false, underlined: Bool = false
  ) { (self.color, isBold, isDim, isReversed, isUnderlined) = (color, bold, dim, reversed, underlined) }

  /// The terminal's default style.
  public static let plain = Style()
  /// Bold.
  public static let bold = Style(bold: true)
  /// Dim.
  public static let dim = Style(dim: true)
  /// In a colour.
  public static func color(_ color: Color) -> Style { Style(color: color) }

  /// The style with swapped colours if `condition` holds.
  public func reversed(if condition: Bool) -> Style {
    var style = self
    style.isReversed = condition
    return style
  }
}
