/// The contents of the screen in memory: a character and its style for each cell. Controls draw on it, so they need no
/// terminal; ``Terminal`` copies it to the terminal.
@MainActor
public final class Surface {
  /// A cell of the screen.
  public struct Cell: Sendable, Hashable {
    /// The character; `nil` for the right half of a wide character.
    public var character: Character?
    /// The style.
    public var style: Style

    /// An empty cell.
    public static let empty = Cell(character: " ", style: .plain)
  }

  /// The extent.
  public let size: Size
  /// Whether the terminal shows only ASCII: other characters are replaced by the nearest one.
  public let isASCII: Bool
  /// The cells, row by row.
  public private(set) var rows: [[Cell]]
  /// The place of the terminal's cursor; `nil` while it is hidden.
  public internal(set) var cursor: Point?

  /// Creates an empty surface.
  public init(size: Size, isASCII: Bool = false) {
    self.size = size
    self.isASCII = isASCII
    rows = Array(repeating: Array(repeating: .empty, count: size.width), count: size.height)
  }

  /// A row as text, without spaces at its end.
  public func text(ofRow row: Int) -> String {
    let text = String(rows[row].compactMap(\.character))
    return String(text.reversed().drop { $0 == " " }.reversed())
  }

  /// All rows as text.
  public var text: String { rows.indices.map { text(ofRow: $0) + "\n" }.joined() }

  /// Sets one cell inside `clip`; a wide character needs two.
  func set(_ character: Character, at point: Point, style: Style, clip: Rect) {
    let clip = clip.intersection(Rect(x: 0, y: 0, width: size.width, height: size.height))
    let shown = Self.shown(character, isASCII: isASCII)
    guard clip.contains(point), shown.columns == 1 || clip.contains(Point(x: point.x + 1, y: point.y)) else { return }
    // Overwriting half of a wide character removes the other half.
    if rows[point.y][point.x].character == nil, point.x > 0 { rows[point.y][point.x - 1].character = " " }
    let next = point.x + shown.columns
    if next < size.width, rows[point.y][next].character == nil { rows[point.y][next].character = " " }
    rows[point.y][point.x] = Cell(character: shown, style: style)
    if shown.columns == 2 { rows[point.y][point.x + 1] = Cell(character: nil, style: style) }
  }

  func reverse(_ rect: Rect) {
    for y in rect.minY..<rect.maxY {
      for x in rect.minX..<rect.maxX { rows[y][x].style.isReversed.toggle() }
    }
  }

  func clear(_ rect: Rect, style: Style) {
    let rect = rect.intersection(Rect(x: 0, y: 0, width: size.width, height: size.height))
    for y in rect.minY..<rect.maxY {
      for x in rect.minX..<rect.maxX { set(" ", at: Point(x: x, y: y), style: style, clip: rect) }
    }
  }

  /// The replacement for a character that would move the cursor, or that the terminal does not have.
  private static func shown(_ character: Character, isASCII: Bool) -> Character {
    guard let scalar = character.unicodeScalars.first, character.isPrintable else { return "?" }
    guard isASCII, !scalar.isASCII else { return character }
    return ascii[character] ?? "?"
  }

  private static let ascii: [Character: Character] = [
    "─": "-", "│": "|", "┌": "+", "┐": "+", "└": "+", "┘": "+", "█": "#", "░": ".", "·": ".", "•": "*", "…": "~",
    "°": " ", "±": "~", "×": "x", "▲": "^", "▼": "v", "○": "o", "●": "@", "–": "-", "’": "'", "“": "\"", "”": "\"",
    "☐": "_", "☑": "x", "→": ">", "←": "<",
  ]
}

extension Character {
  /// Whether the character is visible, instead of moving the cursor or controlling the terminal.
  var isPrintable: Bool {
    unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .surrogate, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: false
      // Allows the joiner and the variation selectors of emoji, but not characters that change the direction of text.
      case .format: scalar == "\u{200D}"
      default: true
      }
    } && !(unicodeScalars.first?.properties.isGraphemeExtend ?? true)
  }

  /// The number of columns: 2 for East Asian characters and pictures.
  public var columns: Int {
    guard let scalar = unicodeScalars.first, scalar.value >= 0x1100 else { return 1 }
    if scalar.properties.isEmojiPresentation { return 2 }
    let isWide =
      switch scalar.value {
      case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
        true
      default: false
      }
    return isWide ? 2 : 1
  }
}

extension StringProtocol {
  /// The number of columns.
  public var columns: Int { reduce(0) { $0 + $1.columns } }

  /// The beginning that fits into that many columns.
  public func prefix(columns limit: Int) -> String {
    var (rest, result) = (limit, "")
    for character in self {
      rest -= character.columns
      guard rest >= 0 else { break }
      result.append(character)
    }
    return result
  }

  /// The text, cut at the end with "…" if it needs more columns.
  public func truncated(toColumns limit: Int) -> String {
    columns <= limit ? String(self) : limit < 1 ? "" : prefix(columns: limit - 1) + "…"
  }
}
