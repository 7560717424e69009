import CNcurses

enum TerminalInput {
  case key(Key)
  case click(Point)
  case scroll(Point, rows: Int)
}

/// Reads keys with curses, which knows the sequences of every terminal.
@MainActor
enum TerminalKeys {
  /// The next key, without waiting; `nil` if no key was pressed.
  static func next() -> TerminalInput? {
    while true {
      var code = wint_t()
      switch get_wch(&code) {
      case OK:
        if let key = character(code) { return .key(key) }
      case KEY_CODE_YES:
        if let input = function(Int32(bitPattern: code)) { return input }
      default: return nil
      }
    }
  }

  private static func character(_ code: wint_t) -> Key? {
    switch code {
    case 9: return .tab
    case 10, 13: return .enter
    case 27: return .escape
    case 8, 127: return .backspace
    case 1...26: return Unicode.Scalar(code + 96).map { .control(Character($0)) }
    default:
      guard let scalar = Unicode.Scalar(code), Character(scalar).isPrintable || scalar.properties.isGraphemeExtend
      else {
        return nil
      }
      return .character(Character(scalar))
    }
  }

  private static func function(_ code: Int32) -> TerminalInput? {
    code == KEY_MOUSE ? mouse() : keys[code].map { .key($0) }
  }

  private static let keys: [Int32: Key] = [
    KEY_UP: .up, KEY_DOWN: .down, KEY_LEFT: .left, KEY_RIGHT: .right, KEY_HOME: .home, KEY_END: .end,
    KEY_PPAGE: .pageUp, KEY_NPAGE: .pageDown, KEY_BACKSPACE: .backspace, KEY_DC: .delete, KEY_BTAB: .backTab,
    KEY_ENTER: .enter,
  ]

  private static func mouse() -> TerminalInput? {
    var event = MEVENT()
    guard getmouse(&event) == OK else { return nil }
    let point = Point(x: Int(event.x), y: Int(event.y))
    let wheel = Int(shim_wheel(event.bstate))
    return wheel != 0 ? .scroll(point, rows: wheel) : shim_is_press(event.bstate) != 0 ? .click(point) : nil
  }
}
