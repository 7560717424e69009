import SystemPackage

/// Why nothing can be shown.
public enum TerminalError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The stream of this name, "standard output" for one, is not a terminal.
  case notATerminal(String)
  /// Nothing is known of this type of terminal, which `TERM` names; `nil` when it is not set.
  case unknownType(String?)
  /// A terminal of this type cannot place its cursor.
  case noCursorMovement(String)
  /// The system has refused something.
  case system(String)

  /// One sentence that names the way out.
  public var description: String {
    switch self {
    case .notATerminal(let stream): "\(stream) is not a terminal"
    case .unknownType(let type?): "the terminal type '\(type)' is not known; set TERM to one that is, such as xterm"
    case .unknownType(nil): "TERM is not set; set it to the terminal's type, such as xterm"
    case .noCursorMovement(let type):
      "a terminal of type '\(type)' cannot place its cursor; set TERM to the type that it really is, such as xterm"
    case .system(let message): message
    }
  }
}
