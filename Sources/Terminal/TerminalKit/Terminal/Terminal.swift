import CNcurses
import Dispatch
import Glibc
import Platform
import SystemPackage

/// Shows a ``Screen`` on the terminal of this process, and passes the user's keys to it.
///
///     let terminal = Terminal(screen: screen)
///     try terminal.open()
///     defer { terminal.close() }
///
/// It belongs to the main actor, and never blocks it. It reads keys when there are some. It draws the screen at most
/// ten times a second, only after a change, and only while the terminal accepts output. ``close()`` restores the
/// terminal's settings, and so does Ctrl-Z while the program is stopped, and a fault. Only one can be open.
@MainActor
public final class Terminal {
  /// The screen that it shows.
  public let screen: Screen

  /// Called for SIGTERM, SIGINT, SIGQUIT and SIGHUP, and with SIGHUP when the terminal has disappeared. The program should end.
  public var onSignal: (@MainActor (Int32) -> Void)?

  private static let interval = 0.1

  private var session: Session?
  private var drawn: Surface?
  private var lastDrawing = -Double.infinity
  private var isDrawingPlanned = false
  private var hasColors = false
  private var failures = 0

  private struct Session {
    var curses: OpaquePointer
    /// A stream of this object, if standard input is not the terminal.
    var ownInput: UnsafeMutablePointer<FILE>?
    var inputDescriptor: Int32
    var keys: any DispatchSourceRead
    var signals: TerminalSignals
  }

  /// Creates a terminal that shows nothing yet.
  public init(screen: Screen) { self.screen = screen }

  isolated deinit { close() }

  /// Takes over the terminal. Standard output must be a terminal; keys come from standard input, or from `/dev/tty` if
  /// standard input is not a terminal.
  public func open() throws(TerminalError) {
    guard session == nil else { return }
    guard isatty(STDOUT_FILENO) != 0 else { throw .notATerminal("standard output") }
    var ownInput: UnsafeMutablePointer<FILE>?
    if isatty(STDIN_FILENO) == 0 {
      ownInput = fopen("/dev/tty", "re")
      guard ownInput != nil else { throw .notATerminal("standard input") }
    }
    // A locale that was not generated on this machine still says that the terminal shows UTF-8.
    if setlocale(LC_CTYPE, "") == nil, Self.wantsUTF8 { setlocale(LC_CTYPE, "C.UTF-8") }
    guard TerminalState.save(STDOUT_FILENO) else { throw .notATerminal("standard output") }
    do throws(TerminalError) {
      session = try begin(ownInput)
    } catch {
      if let ownInput { fclose(ownInput) }
      throw error
    }
    screen.isASCII = String(cString: shim_codeset()) != "UTF-8"
    readSize()
    screen.onNeedsDisplay = { [weak self] in self?.planDrawing() }
    draw()
  }

  private func begin(_ ownInput: UnsafeMutablePointer<FILE>?) throws(TerminalError) -> Session {
    let type = getenv("TERM").map { String(cString: $0) }
    // Before curses starts, because curses does not replace existing signal handlers.
    let signals = try TerminalSignals { [weak self] number in self?.receive(number) }
    guard let type, !type.isEmpty, let curses = shim_newterm(ownInput ?? shim_stdin()) else {
      signals.end()
      throw .unknownType(type.flatMap { $0.isEmpty ? nil : $0 })
    }
    guard Self.canMoveCursor else {
      endwin()
      delscreen(curses)
      signals.end()
      TerminalState.restoreModes(STDOUT_FILENO)
      throw .noCursorMovement(type)
    }
    cbreak()
    noecho()
    nonl()
    shim_take_keys()
    // The time for which curses waits after an Escape, which may begin the sequence of another key.
    set_escdelay(25)
    shim_take_mouse()
    hasColors = has_colors() && getenv("NO_COLOR") == nil
    if hasColors {
      start_color()
      use_default_colors()
      for color in Color.allCases { init_pair(Int16(color.rawValue), Int16(color.rawValue), -1) }
    }
    TerminalState.guardAgainstFaults(STDOUT_FILENO)

    let descriptor = ownInput.map { fileno($0) } ?? STDIN_FILENO
    let keys = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
    keys.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.readKeys() } }
    keys.activate()
    return Session(curses: curses, ownInput: ownInput, inputDescriptor: descriptor, keys: keys, signals: signals)
  }

  private static var wantsUTF8: Bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { (name: String) in getenv(name).map { String(cString: $0) } }
    let locale = names.first { !$0.isEmpty }?.lowercased() ?? ""
    return locale.contains("utf-8") || locale.contains("utf8")
  }

  private static var canMoveCursor: Bool {
    let text = "cup".withCString { tigetstr(UnsafeMutablePointer(mutating: $0)) }
    return text.map { Int(bitPattern: $0) != -1 } ?? false
  }

  /// Releases the terminal. Closing it again does nothing.
  public func close() {
    guard let session else { return }
    self.session = nil
    screen.onNeedsDisplay = nil
    // The source must not use the stream after it is closed.
    let ownInput = session.ownInput.map { Int(bitPattern: $0) }
    session.keys.setCancelHandler {
      if let ownInput, let stream = UnsafeMutablePointer<FILE>(bitPattern: ownInput) { fclose(stream) }
    }
    session.keys.cancel()
    curs_set(1)
    endwin()
    delscreen(session.curses)
    TerminalState.forget(STDOUT_FILENO)
    session.signals.end()
    drawn = nil
  }

  // MARK: Keys and signals

  private func readKeys() {
    guard let session else { return }
    var hasKeys = false
    while let input = TerminalKeys.next() {
      hasKeys = true
      switch input {
      case .key(let key): screen.press(key)
      case .click(let point): screen.click(point)
      case .scroll(let point, let rows): screen.scroll(at: point, by: rows)
      }
      // The action of the key may have closed the terminal.
      guard self.session != nil else { return }
    }
    // A terminal that has disappeared stays readable, without data.
    failures = hasKeys ? 0 : failures + 1
    var entry = pollfd(fd: session.inputDescriptor, events: Int16(POLLIN), revents: 0)
    if !hasKeys, poll(&entry, 1, 0) > 0, entry.revents & Int16(POLLHUP | POLLERR) != 0 || failures > 10 {
      session.keys.cancel()
      onSignal?(SIGHUP)
    }
  }

  private func receive(_ number: Int32) {
    guard let session else { return }
    switch number {
    case SIGWINCH: readSize()
    case SIGTSTP:
      curs_set(1)
      endwin()
      TerminalState.restoreModes(STDOUT_FILENO)
      session.signals.stop()
      resume()
    case SIGCONT: resume()
    default: onSignal?(number)
    }
  }

  /// Draws the whole screen again, because another program has used the terminal.
  private func resume() {
    reset_prog_mode()
    readSize()
    drawn = nil
    draw()
  }

  private func readSize() {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      // A serial line has no size; curses uses that of terminfo.
      if session != nil { screen.size = Size(width: Int(shim_width()), height: Int(shim_height())) }
      return
    }
    resizeterm(Int32(size.ws_row), Int32(size.ws_col))
    drawn = nil
    screen.size = Size(width: Int(size.ws_col), height: Int(size.ws_row))
  }

  // MARK: Drawing

  private func planDrawing() {
    guard session != nil, !isDrawingPlanned else { return }
    isDrawingPlanned = true
    let delay = max(0, lastDrawing + Self.interval - monotonicSeconds())
    DispatchQueue.main.asyncAfter(deadline: .now() + delay) { [weak self] in
      MainActor.assumeIsolated {
        self?.isDrawingPlanned = false
        self?.draw()
      }
    }
  }

  private func draw() {
    guard session != nil else { return }
    lastDrawing = monotonicSeconds()
    // A terminal stopped by Ctrl-S would block the main actor.
    var entry = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
    guard poll(&entry, 1, 0) == 1, entry.revents & Int16(POLLOUT) != 0 else { return planDrawing() }
    let surface = screen.render()
    if drawn == nil { shim_draw_all() }
    for (row, cells) in surface.rows.enumerated() where drawn?.rows[row] != cells {
      copy(cells, toRow: Int32(row))
    }
    if let cursor = surface.cursor { CNcurses.move(Int32(cursor.y), Int32(cursor.x)) }
    curs_set(surface.cursor == nil ? 0 : 1)
    refresh()
    drawn = surface
  }

  private func copy(_ cells: [Surface.Cell], toRow row: Int32) {
    CNcurses.move(row, 0)
    var rest = cells[...]
    while let style = rest.first?.style {
      let run = rest.prefix { $0.style == style }
      rest = rest.dropFirst(run.count)
      let attributes = shim_attributes(
        style.isBold ? 1 : 0, style.isDim ? 1 : 0, style.isReversed ? 1 : 0, style.isUnderlined ? 1 : 0)
      attr_set(attributes, hasColors ? Int16(style.color?.rawValue ?? 0) : 0, nil)
      let text = run.flatMap { $0.character.map { Array($0.unicodeScalars) } ?? [] }
      addnwstr(text.map { wchar_t(truncatingIfNeeded: $0.value) }, Int32(text.count))
    }
  }
}

/// Why a terminal cannot be used.
public enum TerminalError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The stream with this name, such as "standard output", is not a terminal.
  case notATerminal(String)
  /// The type of terminal, which `TERM` names, is unknown; `nil` if `TERM` is not set.
  case unknownType(String?)
  /// A terminal of this type cannot place its cursor.
  case noCursorMovement(String)
  /// A system call failed.
  case system(String)

  /// One sentence with the way out.
  public var description: String {
    switch self {
    case .notATerminal(let stream): "\(stream) is not a terminal"
    case .unknownType(let type?): "the terminal type '\(type)' is not known; set TERM to a known one, such as xterm"
    case .unknownType(nil): "TERM is not set; set it to the terminal's type, such as xterm"
    case .noCursorMovement(let type):
      "a terminal of type '\(type)' cannot place its cursor; set TERM to its real type, such as xterm"
    case .system(let message): message
    }
  }
}

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
      else { return nil }
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
