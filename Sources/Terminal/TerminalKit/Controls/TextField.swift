/// A line of text that the user edits. UIKit's `UITextField`.
@MainActor
public final class TextField: Control {
  /// The text. Only changes by the user are reported.
  public var text: String? {
    didSet {
      guard text != oldValue else { return }
      cursor = text?.count ?? 0
      setNeedsDisplay()
    }
  }

  /// The text in an empty field.
  public var placeholder: String?

  /// The number of characters to the left of the cursor.
  private var cursor = 0
  private var firstShown = 0
  private var isEditing = false

  /// Creates an empty field.
  public required init() {}

  /// Creates a field.
  public convenience init(placeholder: String) {
    self.init()
    self.placeholder = placeholder
  }

  /// Inserts `text` at the cursor for the user.
  public func insertText(_ text: String) {
    edit { characters in
      characters.insert(contentsOf: text, at: cursor)
      return cursor + text.count
    }
  }

  /// Deletes the character to the left of the cursor.
  public func deleteBackward() {
    guard cursor > 0 else { return }
    edit { characters in
      characters.remove(at: cursor - 1)
      return cursor - 1
    }
  }

  /// Replaces the whole text for the user.
  public func type(_ text: String) {
    edit { characters in
      characters = Array(text)
      return characters.count
    }
  }

  private func edit(_ body: (inout [Character]) -> Int) {
    var characters = Array(text ?? "")
    let position = body(&characters)
    text = String(characters)
    // Characters may have been combined, such as a letter and its accent.
    cursor = min(position, text?.count ?? 0)
    sendActions(for: .editingChanged)
  }

  /// Reports that the user begins or ends editing.
  public override func didUpdateFocus() {
    guard isEditing != isFocused else { return }
    isEditing = isFocused
    sendActions(for: isEditing ? .editingDidBegin : .editingDidEnd)
  }

  /// One row.
  public override func sizeThatFits(width: Int) -> Size { Size(width: 0, height: 1) }

  /// Draws the part around the cursor.
  public override func draw(on canvas: Canvas) {
    let width = canvas.size.width
    guard width > 0 else { return }
    let style = Style(underlined: true)
    canvas.write(String(repeating: " ", count: width), x: 0, y: 0, style: style)
    let characters = Array(text ?? "")
    if characters.isEmpty, let placeholder, !isFocused {
      canvas.write(placeholder.truncated(toColumns: width), x: 0, y: 0, style: Style(dim: true, underlined: true))
    }
    // The cursor stands after the last character, in its own column.
    firstShown = min(firstShown, cursor)
    while String(characters[firstShown..<cursor]).columns >= width, firstShown < cursor { firstShown += 1 }
    canvas.write(String(characters[firstShown...]), x: 0, y: 0, style: style)
    if isFocused { canvas.setCursor(x: String(characters[firstShown..<cursor]).columns, y: 0) }
  }

  /// Inserts and deletes text and moves the cursor. Return is its primary action, and is then passed to its superview.
  public override func press(_ key: Key) -> Bool {
    guard isEnabled else { return false }
    let count = text?.count ?? 0
    switch key {
    case .character(let character): insertText(String(character))
    case .backspace: deleteBackward()
    case .delete where cursor < count:
      edit { characters in
        characters.remove(at: cursor)
        return cursor
      }
    case .control("u"): type("")
    case .left: cursor = max(0, cursor - 1)
    case .right: cursor = min(count, cursor + 1)
    case .home, .control("a"): cursor = 0
    case .end, .control("e"): cursor = count
    case .enter:
      sendActions(for: .primaryActionTriggered)
      return false
    default: return false
    }
    setNeedsDisplay()
    return true
  }
}
