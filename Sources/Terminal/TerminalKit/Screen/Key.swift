/// A key that was pressed.
public enum Key: Sendable, Hashable {
  /// A character that is typed.
  case character(Character)
  /// A character with Ctrl held down, as a small letter.
  case control(Character)
  /// Return, Escape and Tab; Tab with Shift held down is `backTab`.
  case enter, escape, tab, backTab
  /// Delete to the left and to the right.
  case backspace, delete
  /// The arrows.
  case up, down, left, right
  /// To the beginning, to the end, and by a page.
  case home, end, pageUp, pageDown
}
