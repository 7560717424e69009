/// A row of a ``ListView``. UIKit's `UITableViewCell`.
@MainActor
open class ListCell: Control {
  /// What it says.
  public var text: String? {
    didSet { if text != oldValue { setNeedsDisplay() } }
  }

  /// How.
  public var style = Style.plain

  /// Whether the list's keys work on this row now.
  public internal(set) var isHighlighted = false

  fileprivate(set) var reuseIdentifier: String?

  /// Creates an empty cell.
  public required init() {}

  /// The list takes the keys for its cells. A control in a cell takes them itself, where the cell has given it a place.
  public final override var canBecomeFocused: Bool { false }

  /// Called before the cell is used for another row: ends what was bound to it for the last one. Call super's.
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

/// The cells of a list that wait for a row, by their identifiers.
@MainActor
struct ListCellPool {
  private var types: [String: ListCell.Type] = [:]
  private var waiting: [String: [ListCell]] = [:]

  mutating func register(_ type: ListCell.Type, _ identifier: String) {
    types[identifier] = type
    waiting[identifier] = nil
  }

  mutating func dequeue(_ identifier: String) -> ListCell {
    if let cell = waiting[identifier]?.popLast() {
      cell.prepareForReuse()
      return cell
    }
    let cell = (types[identifier] ?? ListCell.self).init()
    cell.reuseIdentifier = identifier
    return cell
  }

  mutating func enqueue(_ cell: ListCell) {
    if let identifier = cell.reuseIdentifier { waiting[identifier, default: []].append(cell) }
  }
}
