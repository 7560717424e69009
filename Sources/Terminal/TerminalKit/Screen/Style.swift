/// The colours that every terminal with colours has.
public enum Color: UInt8, Sendable, Hashable, CaseIterable {
  /// Red.
  case red = 1
  /// Green.
  case green
  /// Yellow.
  case yellow
  /// Blue.
  case blue
  /// Magenta.
  case magenta
  /// Cyan.
  case cyan
}

/// How a character looks. On a terminal without colours the rest of it still shows.
public struct Style: Sendable, Hashable {
  /// The colour of the character; `nil` for the terminal's own.
  public var color: Color?
  /// Whether it is bold.
  public var isBold: Bool
  /// Whether it is dim.
  public var isDim: Bool
  /// Whether its colours are exchanged.
  public var isReversed: Bool
  /// Whether it is underlined.
  public var isUnderlined: Bool

  /// Creates a style.
  public init(
    color: Color? = nil, bold: Bool = false, dim: Bool = false, reversed: Bool = false, underlined: Bool = false
  ) {
    (self.color, isBold, isDim, isReversed, isUnderlined) = (color, bold, dim, reversed, underlined)
  }

  /// As the terminal writes by itself.
  public static let plain = Style()
  /// Bold.
  public static let bold = Style(bold: true)
  /// Dim.
  public static let dim = Style(dim: true)
  /// In a colour.
  public static func color(_ color: Color) -> Style { Style(color: color) }

  /// The same, with its colours exchanged if `condition` holds.
  public func reversed(if condition: Bool) -> Style {
    var style = self
    style.isReversed = condition
    return style
  }
}
