/// A parsed marble string: which signs it has, and at which columns.
///
/// A column is a frame of time. Blanks take none. The signs of a group share the column of its `(`, and the group takes
/// as many frames as it has characters, so that characters in the same column happen at the same time.
struct MarbleDiagram {
  /// A sign other than `-`, and where it is.
  struct Mark {
    let sign: Character
    let column: Int
    let position: Int
  }

  let text: String
  private(set) var marks: [Mark] = []

  init(_ text: String) throws(MarbleError) {
    self.text = text
    var column = 0
    var group: (column: Int, position: Int)?

    for (position, sign) in text.enumerated() where !sign.isWhitespace {
      switch sign {
      case "-" where group == nil:
        break
      case "(" where group == nil:
        group = (column, position)
      case ")" where group != nil:
        group = nil
      case "(", ")", "-":
        throw MarbleError(reason: .unbalancedGroup, diagram: text, position: position)
      default:
        marks.append(Mark(sign: sign, column: group?.column ?? column, position: position))
      }
      column += 1
    }
    if let group { throw MarbleError(reason: .unbalancedGroup, diagram: text, position: group.position) }
  }

  /// The column of the only `sign`, or `nil` without one.
  func column(of sign: Character) throws(MarbleError) -> Int? {
    let found = marks.filter { $0.sign == sign }
    if found.count > 1 { throw error(.misplacedSubscription, found[1]) }
    return found.first?.column
  }

  func error(_ reason: MarbleError.Reason, _ mark: Mark) -> MarbleError {
    MarbleError(reason: reason, diagram: text, position: mark.position)
  }
}

/// An error in a marble string.
public struct MarbleError: Error, Hashable, Sendable {
  /// The kinds of mistakes.
  public enum Reason: Hashable, Sendable {
    /// The character stands for nothing here: it has no entry in `values`, or its sign is for another kind of diagram.
    case unknownCharacter
    /// A `(` within a group, a `)` without a group, or a group that does not end.
    case unbalancedGroup
    /// A `^` or `!` for the second time, or an `!` before the `^`.
    case misplacedSubscription
  }

  /// A description of the error.
  public let reason: Reason

  /// The diagram.
  public let diagram: String

  /// The character at fault, counted from zero, blanks included.
  public let position: Int

  package init(reason: Reason, diagram: String, position: Int) {
    self.reason = reason
    self.diagram = diagram
    self.position = position
  }
}

extension MarbleError: CustomStringConvertible {
  /// The mistake in words, with the diagram and a mark under the character at fault.
  public var description: String {
    let text =
      switch reason {
      case .unknownCharacter: "a character that stands for nothing"
      case .unbalancedGroup: "a group that does not open or close"
      case .misplacedSubscription: "a misplaced subscription mark"
      }
    return "\(text):\n\(diagram)\n\(String(repeating: " ", count: position))⌃"
  }
}

/// The error that `#` stands for in a marble string, unless the caller names another.
public struct MarbleFailure: Error, Hashable, Sendable {
  /// The error.
  public init() {}
}
