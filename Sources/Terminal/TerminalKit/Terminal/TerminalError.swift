import SystemPackage

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
