/// A key that was pressed.
public enum Key: Sendable, Hashable {
  /// A character that is typed.
  case character(Character)
  /// A character with Ctrl held down, as a small letter.
  case control(Character)
  /// Return.
  case enter
  /// Escape.
  case escape
  /// Tab.
  case tab
  /// Tab with Shift held down.
  case backTab
  /// Deletes to the left.
  case backspace
  /// Deletes to the right.
  case delete
  /// The arrow up.
  case up
  /// The arrow down.
  case down
  /// The arrow to the left.
  case left
  /// The arrow to the right.
  case right
  /// To the beginning.
  case home
  /// To the end.
  case end
  /// A page up.
  case pageUp
  /// A page down.
  case pageDown
}
