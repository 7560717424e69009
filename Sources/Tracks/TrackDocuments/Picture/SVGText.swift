import Records

/// SVG under construction. Numbers have one decimal, because a tenth of a picture unit is not visible.
struct SVGText {
  private(set) var text = ""

  enum Anchor: String {
    case start, middle, end
  }

  /// Adds markup unchanged; texts in it have to be escaped.
  mutating func add(_ markup: String) { text += markup + "\n" }

  mutating func line(_ kind: String, from start: (x: Double, y: Double), to end: (x: Double, y: Double)) {
    let (x1, y1, x2, y2) = (Self.number(start.x), Self.number(start.y), Self.number(end.x), Self.number(end.y))
    add(#"<path class="\#(kind)" d="M\#(x1) \#(y1)L\#(x2) \#(y2)"/>"#)
  }

  mutating func box(_ kind: String, _ box: Box, radius: Double = 0) {
    let round = radius > 0 ? #" rx="\#(Self.number(radius))""# : ""
    add(#"<rect class="\#(kind)"\#(Self.place(box))\#(round)/>"#)
  }

  mutating func label(_ kind: String, _ label: String, x: Double, y: Double, anchor: Anchor = .start) {
    let side = anchor == .start ? "" : #" text-anchor="\#(anchor.rawValue)""#
    add(#"<text class="\#(kind)" x="\#(Self.number(x))" y="\#(Self.number(y))"\#(side)>\#(Self.escaped(label))</text>"#)
  }

  static func number(_ value: Double) -> String { Words.trimmed(value, 1) }

  static func place(_ box: Box) -> String {
    let (x, y, width, height) = (number(box.x), number(box.y), number(box.width), number(box.height))
    return #" x="\#(x)" y="\#(y)" width="\#(width)" height="\#(height)""#
  }

  /// A text as character data or between double quotes: markup escaped, what XML 1.0 cannot hold replaced by U+FFFD.
  static func escaped(_ text: String) -> String {
    String(decoding: RecordBuffer.bytes { $0.appendXMLText(text, inQuotes: true) }, as: UTF8.self)
  }

  /// An estimate of the width of a text in the usual size. Fonts differ, so the estimate is on the large side.
  static func width(of text: String) -> Double { Double(text.count) * 12 * 0.6 }
}

/// A path of whole tenths of a picture unit, which takes half the space of numbers with decimals.
struct SVGPath {
  private(set) var text = ""
  private var last = (x: 0, y: 0)

  var isEmpty: Bool { text.isEmpty }

  /// Adds a line through points. A single point is a dot if line caps are round.
  mutating func add(_ points: some Collection<(x: Double, y: Double)>) {
    for (index, point) in points.enumerated() {
      let next = Self.tenths(point)
      let (x, y) = (next.x - last.x, next.y - last.y)
      text += index == 0 ? "M\(next.x) \(next.y)" : y < 0 ? "l\(x)\(y)" : "l\(x) \(y)"
      last = next
    }
    if points.count == 1 { text += "h0" }
  }

  mutating func close() { text += "z" }

  private static func tenths(_ point: (x: Double, y: Double)) -> (x: Int, y: Int) {
    // No point of a picture is so far away. Converting a larger number to Int would trap.
    (Int(min(max(point.x * 10, -1e7), 1e7).rounded()), Int(min(max(point.y * 10, -1e7), 1e7).rounded()))
  }
}

/// A rectangle of a picture; y grows downwards.
struct Box: Equatable {
  var x, y, width, height: Double

  var right: Double { x + width }
  var bottom: Double { y + height }

  /// Whether the boxes share a point, or are nearer to each other than `margin`.
  func touches(_ other: Box, margin: Double = 0) -> Bool {
    x < other.right + margin && other.x < right + margin && y < other.bottom + margin && other.y < bottom + margin
  }
}
